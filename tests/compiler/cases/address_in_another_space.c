// An object's address in memory that a segment register leads to.
// proves: 16 no
#include <asm/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct task {
    struct task* next;
    long number;
};
struct processor {
    long number;
    struct task* current;
};
static struct processor first;
#define CURRENT (*(struct task* volatile __seg_gs*)8)

__attribute__((noinline)) static void enter(struct task* task) {
    CURRENT = task;
}
__attribute__((noinline)) static void leave(void) {
    struct task* task = CURRENT;
    printf("%ld\n", task->number);
    free(task);
}

int main(void) {
    syscall(SYS_arch_prctl, ARCH_SET_GS, &first);
    for (long i = 0; i < 3; ++i) {
        struct task* task = malloc(sizeof *task);
        task->number = i;
        enter(task);
        leave();
    }
}
