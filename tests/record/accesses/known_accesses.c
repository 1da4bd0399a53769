// A program whose accesses to one heap object are known: its code is written out, instruction by instruction.
// Prints the object's address.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { object_bytes = 4096 };

static void plain(char* object) {
    __asm__ volatile(
        "movq 8(%0), %%rax\n"        // load 8, 8
        "movl %%eax, 16(%0)\n"       // store 16, 4
        "movb $1, 20(%0)\n"          // store 20, 1
        "addq $1, 24(%0)\n"          // load and store 24, 8
        "movq %0, 32(%0)\n"          // store 32, 8: the object's own address
        "movq 32(%0), %%rcx\n"       // load 32, 8
        "movzwl 40(%%rcx), %%edx\n"  // load 40, 2: through another register
        "leaq 8(%%rcx), %%rcx\n"
        "movl %%edx, 40(%%rcx)\n"  // store 48, 4: the register has moved on
        "movq $7, %%rdx\n"
        "movq (%0,%%rdx,8), %%rax\n"      // load 56, 8
        "movq %%rax, 8(%0,%%rdx,8)\n"     // store 64, 8: the same sum of registers
        "movq 32(%%rcx), %%rcx\n"         // load 72, 8: a register that the load itself replaces
        "pushq 80(%0)\n"                  // load 80, 8; the stack does not count
        "popq 88(%0)\n"                   // store 88, 8
        "xchgq %%rax, 96(%0)\n"           // load and store 96, 8
        "lock cmpxchgq %%rdx, 104(%0)\n"  // load and store 104, 8
        "movups 112(%0), %%xmm0\n"        // load 112, 16
        "movups %%xmm0, 128(%0)\n"        // store 128, 16
        "prefetcht0 144(%0)\n"
        "nopl 144(%0)\n"
        :
        : "r"(object)
        : "rax", "rcx", "rdx", "xmm0", "memory");
}

static void strings(char* object) {
    char *from = object + 256, *to = object + 512;
    unsigned long count = 3;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    count = 2;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0) : "memory");
    count = 0;
    __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

// Ten loads, then a way out of the loop in its middle.
static void loop(char* object) {
    unsigned long at = 0;
    __asm__ volatile(
        "1: movl (%1,%0), %%eax\n"
        "cmpq $36, %0\n"
        "je 2f\n"
        "movl %%eax, 1024(%1,%0)\n"
        "addq $4, %0\n"
        "jmp 1b\n"
        "2:\n"
        : "+r"(at)
        : "r"(object)
        : "rax", "memory", "cc");
}

// Ten bytes each, and the seven words of the x87's environment.
static void x87(char* object) {
    __asm__ volatile(
        "fldt 160(%0)\n"     // load 160, 8 and 168, 2
        "fstpt 176(%0)\n"    // store 176, 8 and 184, 2
        "fnstenv 192(%0)\n"  // store 192, 16; 208, 8 and 216, 4
        :
        : "r"(object)
        : "memory");
}

static void gather(char* object) {
    if (!__builtin_cpu_supports("avx2")) return;
    __asm__ volatile(
        "vpxor %%xmm1, %%xmm1, %%xmm1\n"
        "vpcmpeqd %%xmm2, %%xmm2, %%xmm2\n"
        "vpgatherdd %%xmm2, 2048(%0,%%xmm1,4), %%xmm0\n"
        "vmovdqu 2080(%0), %%ymm0\n"
        "vmovdqu %%ymm0, 2112(%0)\n"
        "vzeroupper\n"
        :
        : "r"(object)
        : "xmm0", "xmm1", "xmm2", "memory");
}

// A loop of one block, which code linked to itself does not leave.
static void spin(char* object) {
    for (unsigned long i = 0; i < 5000000; ++i)
        __asm__ volatile("movq %1, 512(%0)" : : "r"(object), "r"(i) : "memory");
}

// All registers are in use, so that one of the program's holds the recorder's own value in between. Each
// loads its own place.
void all_registers(char* object);
__asm__(
    "all_registers:\n"
    "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rdi, %rax\nlea 8(%rdi), %rbx\nlea 16(%rdi), %rcx\nlea 24(%rdi), %rdx\nlea 32(%rdi), %rsi\n"
    "lea 40(%rdi), %rbp\nlea 48(%rdi), %r8\nlea 56(%rdi), %r9\nlea 64(%rdi), %r10\nlea 72(%rdi), %r11\n"
    "lea 80(%rdi), %r12\nlea 88(%rdi), %r13\nlea 96(%rdi), %r14\nlea 104(%rdi), %r15\nlea 112(%rdi), %rdi\n"
    "movq $1, (%rax)\nmovq $1, (%rbx)\nmovq $1, (%rcx)\nmovq $1, (%rdx)\nmovq $1, (%rsi)\n"
    "movq $1, (%rbp)\nmovq $1, (%r8)\nmovq $1, (%r9)\nmovq $1, (%r10)\nmovq $1, (%r11)\n"
    "movq $1, (%r12)\nmovq $1, (%r13)\nmovq $1, (%r14)\nmovq $1, (%r15)\nmovq $1, (%rdi)\n"
    "mov $1, %eax\nmov $2, %ebx\nmov $3, %ecx\nmov $4, %edx\nmov $5, %esi\nmov $6, %ebp\nmov $7, %r8d\n"
    "mov $8, %r9d\nmov $9, %r10d\nmov $10, %r11d\nmov $11, %r12d\nmov $12, %r13d\nmov $13, %r14d\nmov $14, "
    "%r15d\n"
    "movb $1, (%rdi,%rax)\nmovb $1, (%rdi,%rbx)\nmovb $1, (%rdi,%rcx)\nmovb $1, (%rdi,%rdx)\nmovb $1, "
    "(%rdi,%rsi)\n"
    "movb $1, (%rdi,%rbp)\nmovb $1, (%rdi,%r8)\nmovb $1, (%rdi,%r9)\nmovb $1, (%rdi,%r10)\nmovb $1, "
    "(%rdi,%r11)\n"
    "movb $1, (%rdi,%r12)\nmovb $1, (%rdi,%r13)\nmovb $1, (%rdi,%r14)\nmovb $1, (%rdi,%r15)\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\n"
    "ret\n");

static void* of_thread(void* object) {
    for (int i = 0; i < 100; ++i) __asm__ volatile("movl %1, 3072(%0)" : : "r"(object), "r"(i) : "memory");
    return NULL;
}

// valgrind's client request RUNNING_ON_VALGRIND: 0 where nobody answers.
static int valgrind_levels(void) {
    unsigned long request[6] = {0x1001};
    unsigned long answer = 0;
    __asm__ volatile("rolq $3, %%rdi\nrolq $13, %%rdi\nrolq $61, %%rdi\nrolq $51, %%rdi\nxchgq %%rbx, %%rbx\n"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
    return (int)answer;
}

static sigjmp_buf before_fault;
static char* stored_by_handler;

static void on_fault(int signal) {
    (void)signal;
    __asm__ volatile("movq $1, 200(%0)" : : "r"(stored_by_handler) : "memory");
    siglongjmp(before_fault, 1);
}

// A handler on a stack of its own, which does not return: twice, as the second fault finds what the first
// jump left.
static void fault(char* object) {
    static char alternative[1 << 16];
    const stack_t stack = {.ss_sp = alternative, .ss_size = sizeof alternative};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    stored_by_handler = object;
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 2; ++i)
        if (sigsetjmp(before_fault, 1) == 0) __asm__ volatile("movq (%0), %%rax" : : "r"(8L) : "rax");
    plain(object);
}

int main(int count, char** arguments) {
    char* object = malloc(object_bytes);  // calloc would store to all of it
    printf("%p\n", (void*)object);
    fflush(stdout);
    const char* what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "plain") == 0) plain(object);
    if (strcmp(what, "strings") == 0) strings(object);
    if (strcmp(what, "loop") == 0) loop(object);
    if (strcmp(what, "spin") == 0) spin(object);
    if (strcmp(what, "registers") == 0) all_registers(object);
    if (strcmp(what, "gather") == 0) gather(object);
    if (strcmp(what, "x87") == 0) x87(object);
    if (strcmp(what, "fault") == 0) fault(object);
    if (strcmp(what, "valgrind") == 0) return valgrind_levels();
    if (strcmp(what, "abort") == 0) {
        plain(object);
        abort();
    }
    if (strcmp(what, "threads") == 0) {
        pthread_t threads[20];
        for (int i = 0; i < 20; ++i) pthread_create(&threads[i], NULL, of_thread, object);
        for (int i = 0; i < 20; ++i) pthread_join(threads[i], NULL);
    }
    return 0;
}
