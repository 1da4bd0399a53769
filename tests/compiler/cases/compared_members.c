// Members that nothing accesses are told apart by their addresses: split, each still has one that no other
// member of any object has.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>

struct waiter {
    struct waiter* next;
    const void* on;
};

struct process {
    struct process* next;
    int number;
    int state;
    long readable;
    long writable;
};

static struct waiter* waiters;

__attribute__((noinline)) static void wait_on(const void* what) {
    struct waiter* waiter = malloc(sizeof *waiter);
    waiter->on = what;
    waiter->next = waiters;
    waiters = waiter;
}

__attribute__((noinline)) static long waiters_on(const void* what) {
    long count = 0;
    for (struct waiter* waiter = waiters; waiter != NULL; waiter = waiter->next) {
        count += waiter->on == what;
    }
    return count;
}

static volatile int processes = 200;

int main(void) {
    struct process* first = NULL;
    for (int i = 0; i < processes; ++i) {
        struct process* process = malloc(sizeof *process);
        process->number = i;
        process->state = 3 * i;
        process->next = first;
        first = process;
    }
    for (struct process* process = first; process != NULL; process = process->next) {
        wait_on(&process->readable);
        wait_on(&process->writable);
    }
    long sum = 0;
    for (struct process* process = first; process != NULL; process = process->next) {
        sum += process->number + process->state;
        sum += 1000 * (waiters_on(&process->readable) - 1) + 1000 * (waiters_on(&process->writable) - 1);
    }
    printf("%ld\n", sum);
    return 0;
}
