// Faults in the midst of a loop that allocates: the handler looks at the address and at a register.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { turns = 100000, held = 64, known_value = 12345 };

static sigjmp_buf before;
static char* guard;
static long faults;
static long wrong;

static void on_fault(int number, siginfo_t* info, void* context) {
    (void)number;
    const ucontext_t* const machine = context;
    ++faults;
    if (info->si_addr != guard || machine->uc_mcontext.gregs[REG_R12] != known_value) ++wrong;
    siglongjmp(before, 1);
}

static void store(char* at) {
    register long known __asm__("r12") = known_value;
    __asm__ volatile("movb $1, (%0)" : : "r"(at), "r"(known) : "memory");
}

int main(void) {
    guard = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    static char* volatile kept[held];
    for (volatile long i = 0; i < turns; ++i) {
        if (sigsetjmp(before, 1) != 0) continue;
        free(kept[i % held]);
        kept[i % held] = malloc(48);
        store(i % 997 == 0 ? guard : kept[i % held]);
    }
    printf("%ld faults, %ld wrong\n", faults, wrong);
    return 0;
}
