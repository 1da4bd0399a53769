#include "tests/runtime/codegen/x86_64/code_snippets.h"

#include <cstring>

// Each snippet: what comes before, the load, what comes after, and a row in the table.
#define ROW(load, base, index, scale, displacement) \
    "3: .asciz \"" load                             \
    "\"\n.popsection\n"                             \
    ".pushsection .data.rel.snippets, \"aw\"\n"     \
    ".quad 1b, 2b, 4b, 3b\n.long " #base ", " #index ", " #scale ", " #displacement "\n.popsection\n"
#define SNIPPET(before, load, after, base, index, scale, displacement) \
    __asm__(".text\n1: " before "\n2: " load "\n" after                \
            "\nret\n4:\n"                                              \
            ".pushsection .rodata\n" ROW(load, base, index, scale, displacement));

// Afterwards the flags are written; they are read; they are returned; the red zone is read.
#define LOAD(load, base, index, scale, displacement)                                            \
    SNIPPET("movq %rbx, -16(%rsp)", load, "addq $1, %rbx", base, index, scale, displacement)    \
    SNIPPET("nop", load, "adcq %rbx, %rdx; cmovs %rbx, %rdx", base, index, scale, displacement) \
    SNIPPET("cmpq %rbx, %rbp", load, "", base, index, scale, displacement)                      \
    SNIPPET("movq %rbx, -8(%rsp); movq %rbp, -128(%rsp)", load,                                 \
            "movq -8(%rsp), %rdx; addq -128(%rsp), %rdx", base, index, scale, displacement)

__asm__(R"(
    .pushsection .data.rel.snippets, "aw"
    .globl snippets_begin
snippets_begin:
    .popsection
)");

// Afterwards a conditional jump, taken and not, whose bytes the patch's jump covers.
#define LOAD_AND_BRANCH(load, base, index, scale, displacement)                                  \
    SNIPPET("nop", load, "jc 5f; addq $1, %rdx; 5: incq %rdx", base, index, scale, displacement) \
    SNIPPET("nop", load, "{disp32} jns 5f; addq $1, %rdx; 5: incq %rdx", base, index, scale, displacement)
LOAD_AND_BRANCH("cmpb %bl, (%rdi)", 7, 16, 1, 0)
LOAD_AND_BRANCH("cmpq (%rax), %rbx", 0, 16, 1, 0)

// Bases rdi (7), r12 (12), r13 (13), rsi (6), rbp (5), rax (0), r8 (8); indices rcx (1), r9 (9).
LOAD("movl (%rdi), %eax", 7, 16, 1, 0)
LOAD("movl (%rax), %eax", 0, 16, 1, 0)
LOAD("movq (%rax), %rax", 0, 16, 1, 0)
LOAD("movq (%rdi), %rax", 7, 16, 1, 0)
LOAD("movq 8(%rdi), %rdi", 7, 16, 1, 8)
LOAD("movl 8(%rdi), %eax", 7, 16, 1, 8)
LOAD("movq 24(%r12), %r10", 12, 16, 1, 24)
LOAD("movq (%r13), %r13", 13, 16, 1, 0)
LOAD("movq -24(%rbp), %rax", 5, 16, 1, -24)
LOAD("movq 320(%rsi), %rax", 6, 16, 1, 320)
LOAD("movzbl 3(%rdi), %r11d", 7, 16, 1, 3)
LOAD("movzbl (%rdi), %eax", 7, 16, 1, 0)
LOAD("movb (%rdi), %al", 7, 16, 1, 0)
LOAD("movw (%rdi), %ax", 7, 16, 1, 0)
LOAD("movslq (%rdi,%rcx,4), %rax", 7, 1, 4, 0)
LOAD("movslq 16(%r8,%r9,4), %r14", 8, 9, 4, 16)
LOAD("movq (%rdi,%rcx,8), %rax", 7, 1, 8, 0)
LOAD("movq 512(%r12,%r9,8), %r12", 12, 9, 8, 512)
LOAD("movq -1024(%rsi,%rcx,2), %rcx", 6, 1, 2, -1024)
LOAD("movl (%rdi,%rcx), %ecx", 7, 1, 1, 0)
LOAD("movsd (%rax), %xmm0", 0, 16, 1, 0)
LOAD("addsd 8(%rdi), %xmm0", 7, 16, 1, 8)
LOAD("movups 16(%rsi,%r9,8), %xmm0", 6, 9, 8, 16)
LOAD("addq (%rdi), %rax", 7, 16, 1, 0)
LOAD("cmpq %rbx, 8(%rdi)", 7, 16, 1, 8)
LOAD("cmpl $0x12345678, 300(%rdi,%rcx,4)", 7, 1, 4, 300)
LOAD("addq %rbx, 8(%rdi)", 7, 16, 1, 8)
LOAD("adcq 16(%rsi), %rax", 6, 16, 1, 16)
LOAD("cmovsq 16(%rsi), %rax", 6, 16, 1, 16)
LOAD("testb $1, (%rsi)", 6, 16, 1, 0)
LOAD("imulq $3, (%rdi), %rax", 7, 16, 1, 0)
LOAD("bsfq (%rdi), %rax", 7, 16, 1, 0)
LOAD("orb (%rax), %cl", 0, 16, 1, 0)

// Four loads that follow each other, and what is no load, or none that can stand elsewhere: not in the
// table's first part.
__asm__(R"(
    .pushsection .data.rel.snippets, "aw"
    .globl snippets_loads_end
snippets_loads_end:
    .popsection
)");

SNIPPET("nop", "jmp *(%rdi)", "", 7, 16, 1, 0)
SNIPPET("nop", "call *8(%rdi)", "", 7, 16, 1, 8)
SNIPPET("nop", "movl (%rsi), %ecx", "call 5f; 5: addq $8, %rsp", 6, 16, 1, 0)
SNIPPET("nop", "movl (%rsi), %edx", "leaq 0(%rip), %rcx", 6, 16, 1, 0)
SNIPPET("nop", "nopl 64(%rdi)", "", 7, 16, 1, 64)
SNIPPET("nop", "nopw 320(%rdi)", "", 7, 16, 1, 320)
SNIPPET("nop", "prefetcht1 320(%rdi)", "", 7, 16, 1, 320)
SNIPPET("nop", "vpmaskmovd 320(%rdi), %xmm0, %xmm1", "", 7, 16, 1, 320)
SNIPPET("nop", "vmovdqu32 320(%rdi), %xmm1{%k1}", "", 7, 16, 1, 320)
SNIPPET("nop", "leaq 8(%rdi), %rax", "", 7, 16, 1, 8)
SNIPPET("nop", "movq %rax, 8(%rdi)", "", 7, 16, 1, 8)
SNIPPET("nop", "movq %fs:(%rdi), %rax", "", 7, 16, 1, 0)
SNIPPET("nop", "movl (%edi), %eax", "", 7, 16, 1, 0)
SNIPPET("nop", "movq 8(%rsp), %rax", "", 4, 16, 1, 8)
SNIPPET("nop", "lodsq", "", 6, 16, 1, 0)
SNIPPET("nop", "cmpsb", "", 6, 16, 1, 0)
SNIPPET("nop", "movq (%rdi), %rax; movq 8(%rdi), %rdx; movq 16(%rdi), %rsi; movq 24(%rdi), %r8",
        "addq %rdx, %rax", 7, 16, 1, 0)

extern "C" const malloom::tests::Snippet snippets_begin[];
extern "C" const malloom::tests::Snippet snippets_loads_end[];
extern "C" const malloom::tests::Snippet snippets_end[];

__asm__(R"(
    .pushsection .data.rel.snippets, "aw"
    .globl snippets_end
snippets_end:
    .popsection

    .text
    .globl run_with_registers
run_with_registers:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdi
    mov %rsi, code_to_run(%rip)
    movups 136(%rdi), %xmm0
    push 128(%rdi)
    popfq
    mov 0(%rdi), %rax
    mov 8(%rdi), %rcx
    mov 16(%rdi), %rdx
    mov 24(%rdi), %rbx
    mov 40(%rdi), %rbp
    mov 48(%rdi), %rsi
    mov 64(%rdi), %r8
    mov 72(%rdi), %r9
    mov 80(%rdi), %r10
    mov 88(%rdi), %r11
    mov 96(%rdi), %r12
    mov 104(%rdi), %r13
    mov 112(%rdi), %r14
    mov 120(%rdi), %r15
    mov 56(%rdi), %rdi
    call *code_to_run(%rip)
    xchg %rdi, (%rsp)
    mov %rax, 0(%rdi)
    mov %rcx, 8(%rdi)
    mov %rdx, 16(%rdi)
    mov %rbx, 24(%rdi)
    mov %rbp, 40(%rdi)
    mov %rsi, 48(%rdi)
    mov %r8, 64(%rdi)
    mov %r9, 72(%rdi)
    mov %r10, 80(%rdi)
    mov %r11, 88(%rdi)
    mov %r12, 96(%rdi)
    mov %r13, 104(%rdi)
    mov %r14, 112(%rdi)
    mov %r15, 120(%rdi)
    movups %xmm0, 136(%rdi)
    pushfq
    pop 128(%rdi)
    pop 56(%rdi)
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

    .pushsection .bss
code_to_run:
    .skip 8
    .popsection
)");

namespace malloom::tests {

std::vector<Snippet> snippets() {
    return {snippets_begin, snippets_loads_end};
}

Snippet snippet_of(const char* text, int variant) {
    for (const Snippet* each = snippets_begin; each != snippets_end; ++each) {
        if (std::strcmp(each->text, text) == 0 && variant-- == 0) {
            return *each;
        }
    }
    return {};
}

}  // namespace malloom::tests
