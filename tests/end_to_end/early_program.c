// Asks for memory before main begins and after it has ended, and in children that share it.
#include "ends_program.h"

#include <sched.h>
#include <sys/mman.h>

static struct node* early;

__attribute__((constructor(101))) static void begin(void) {
    for (int i = 0; i < 500; ++i) early = node_of(48, early);
}

__attribute__((destructor(101))) static void leave(void) {
    release_all(early);
    stir(3, 3000);
    dprintf(1, "left\n");
}

static int renew(void* list) {
    struct node** first = (struct node**)list;
    release_all(*first);
    *first = NULL;
    for (int i = 0; i < 500; ++i) *first = node_of(48, *first);
    stir(5, 300);
    return 5;
}

// As vfork, but on a stack of the child's own, so that it may do what it likes with the parent's memory.
static int own_stack(void) {
    const size_t bytes = 256 << 10;
    char* stack = (char*)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(stack != MAP_FAILED);
    for (int i = 0; i < 10; ++i) {
        int status = 0;
        const pid_t child = clone(renew, stack + bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &early);
        require(child > 0 && waitpid(child, &status, 0) == child && status == 5 << 8);
    }
    stir(7, 3000);
    return 0;
}

int main(int count, char** words) {
    if (count > 1 && strcmp(words[1], "own_stack") == 0) return own_stack();
    stir(1, 3000);
    return 0;
}
