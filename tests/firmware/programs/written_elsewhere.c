// The first core writes a function into shared memory, twice, and the second one runs it: prints what it
// returns, the second time before the second core has flushed its instruction cache and after.
#include "firmware/boards/riscv_core/cores.h"

struct shared {
    volatile uint32_t code[8];  // a line of the cache
    volatile uint32_t written;
    volatile uint32_t called;
};

static void wait_for(const volatile uint32_t* count, uint32_t number) {
    while (*count < number) {
    }
}

// A function that returns a number below 128.
static void write_function(struct shared* shared, uint32_t number) {
    shared->code[0] = 0x00000513u | number << 20;  // addi a0, zero, number
    shared->code[1] = 0x00008067u;                 // jalr zero, 0(ra)
    shared->written = shared->written + 1;
}

static uint32_t call(const struct shared* shared) {
    uint32_t (*const function)(void) = (uint32_t (*)(void))(uintptr_t)shared->code;
    return function();
}

static void show(const char* what, uint32_t number) {
    board_write(what);
    board_write_number(number);
    board_write("\n");
}

static int write_for_another(struct shared* shared) {
    write_function(shared, 1);
    wait_for(&shared->called, 1);
    write_function(shared, 2);
    return 0;
}

int main(void) {
    struct shared* const shared = (struct shared*)board_shared_memory().begin;
    if (board_core() == 0) return write_for_another(shared);
    wait_for(&shared->written, 1);
    show("first: ", call(shared));
    shared->called = 1;
    wait_for(&shared->written, 2);
    show("before the flush: ", call(shared));
    board_flush_instruction_cache(NULL, 0);
    show("after the flush: ", call(shared));
    return 0;
}
