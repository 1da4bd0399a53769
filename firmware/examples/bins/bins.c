/* One heap over two memories: a small one, which is taken first as if it were the fast one, and a large one.
 * Then its bins are laid out anew by what was counted in them, with a function that is generated. */
#include "include/malloom/bins.h"
#include "firmware/board.h"

enum {
    bins = MALLOOM_BINS_ORIGINAL_COUNT,
    levels = 2,
    fast_bytes = 8192,
    slow_bytes = 65536,
    code_bytes = 8192,
    living = 64,
    pairs = 2000
};

static malloom_bins heap;
static uint64_t storage[MALLOOM_BINS_STORAGE(bins, levels) / sizeof(uint64_t) + 1];
static uint64_t fast[fast_bytes / sizeof(uint64_t)];
static void* objects[living];

/* What was written can run from then on. */
static void end_write(void* context, unsigned char* code, size_t bytes) {
    (void)context;
    board_flush_instruction_cache(code, bytes);
}

static malloom_bins_result open_heap(uint8_t* slow) {
    static const malloom_bins_settings settings = {.options = MALLOOM_BINS_COUNT_INSERTIONS,
                                                   .levels = levels,
                                                   .storage = storage,
                                                   .storage_bytes = sizeof storage};
    malloom_bins_result result = malloom_bins_open(&heap, &settings);
    if (result == MALLOOM_BINS_OK) result = malloom_bins_add_region(&heap, slow, slow_bytes, 1);
    if (result == MALLOOM_BINS_OK) result = malloom_bins_add_region(&heap, fast, sizeof fast, 0);
    return result;
}

static uint32_t next_number(void) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* The cycles of so many calls of free and of alloc, each for another object. */
static uint32_t cycles_of_pairs(void) {
    uint32_t cycles = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        void** const object = &objects[next_number() % living];
        const size_t bytes = 300 + next_number() % 400;
        const uint32_t begin = board_cycles();
        malloom_bins_free(&heap, *object);
        *object = malloom_bins_alloc(&heap, bytes);
        cycles += board_cycles() - begin;
    }
    return cycles;
}

static unsigned objects_in_fast_memory(void) {
    unsigned count = 0;
    for (int object = 0; object < living; ++object) {
        const uintptr_t from_begin = (uintptr_t)objects[object] - (uintptr_t)fast;
        count += objects[object] != NULL && from_begin < sizeof fast;
    }
    return count;
}

static void say(uint32_t number, const char* what) {
    board_write_number(number);
    board_write(what);
}

int main(void) {
    const struct board_range memory = board_memory();
    static malloom_bins_code code = {.bytes = code_bytes, .end_write = end_write};
    code.memory = memory.begin + slow_bytes;
    if (open_heap(memory.begin) != MALLOOM_BINS_OK) return 1;
    cycles_of_pairs();
    say(objects_in_fast_memory(), " of 64 objects lie in the fast memory\n");
    say(cycles_of_pairs() / pairs, " cycles a pair with dlmalloc's bins\n");
    const uint32_t begin = board_cycles();
    if (malloom_bins_rehash(&heap, MALLOOM_BINS_LINEAR, &code) != MALLOOM_BINS_OK) return 2;
    say(board_cycles() - begin, " cycles of a rehash\n");
    say(cycles_of_pairs() / pairs, " cycles a pair with bins and a function of its own\n");
    return malloom_bins_check(&heap) == MALLOOM_BINS_OK ? 0 : 3;
}
