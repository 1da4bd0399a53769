/* Calls by chance of a heap with exact bins that was generated as `heap`: what objects hold stays theirs,
 * their places are aligned and inside the memory, and what is given back serves again. The file of --data, if
 * any, is not read. Prints what failed. */
#define heap_DECLARATIONS
#include "heap.c"

#include "firmware/board.h"

#ifndef ROUNDS
#define ROUNDS 6000
#endif
enum { slots = 128, memory_bytes = 1 << 17, rounds = ROUNDS };

struct object {
    uint8_t* bytes;
    size_t size;
};

static struct object objects[slots];
static _Alignas(8) uint8_t memory[memory_bytes + 16];
static uint8_t* begin;
static size_t given;
static uint32_t state;

static uint32_t chance(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

static void require(int holds, const char* what) {
    if (holds) return;
    board_write("not so: ");
    board_write(what);
    board_write("\n");
    board_exit(1);
}

/* Mostly small ones, some that no small bin is for, and a few that nothing is for. */
static size_t any_size(void) {
    switch (chance(16)) {
        case 0:
            return chance(9000);
        case 1:
            return chance(2100);
        case 2:
            return chance(64) == 0 ? SIZE_MAX - chance(2000) : chance(8);
        default:
            return chance(160);
    }
}

static uint8_t mark_of(size_t slot, size_t at) {
    return (uint8_t)(slot * 31 + at * 7 + 1);
}

static void mark(size_t slot) {
    for (size_t at = 0; at < objects[slot].size; ++at) objects[slot].bytes[at] = mark_of(slot, at);
}

static void check_marks(size_t slot, size_t bytes) {
    for (size_t at = 0; at < bytes; ++at) {
        require(objects[slot].bytes[at] == mark_of(slot, at), "an object has kept its content");
    }
}

static void keep(size_t slot, void* object, size_t bytes, size_t alignment) {
    objects[slot].bytes = object;
    objects[slot].size = object != NULL ? bytes : 0;
    if (object == NULL) return;
    require((uintptr_t)object % alignment == 0, "an object is aligned");
    require((uint8_t*)object >= begin && bytes <= (size_t)(begin + given - (uint8_t*)object), "it is inside");
    require(heap_usable(object) >= bytes, "it has the room that was asked for");
    mark(slot);
}

static void check_zeros(const uint8_t* bytes, size_t count) {
    for (size_t at = 0; bytes != NULL && at < count; ++at) require(bytes[at] == 0, "it is zero");
}

static void make(size_t slot) {
    const size_t bytes = any_size();
    if (chance(12) == 0) {
        const size_t alignment = (size_t)1 << chance(10);
        keep(slot, heap_aligned(alignment, bytes), bytes, alignment > 8 ? alignment : 8);
    } else if (chance(8) == 0) {
        const size_t count = bytes <= 9000 ? bytes : SIZE_MAX / 2;
        uint8_t* const object = heap_calloc(count, 3);
        check_zeros(object, 3 * count);
        keep(slot, object, 3 * count, 8);
    } else {
        keep(slot, heap_alloc(bytes), bytes, 8);
    }
}

static void resize(size_t slot) {
    const size_t bytes = any_size();
    const size_t kept = bytes < objects[slot].size ? bytes : objects[slot].size;
    void* const object = heap_realloc(objects[slot].bytes, bytes);
    if (object == NULL) return;
    objects[slot].bytes = object;
    check_marks(slot, kept);
    keep(slot, object, bytes, 8);
}

static void release(size_t slot) {
    check_marks(slot, objects[slot].size);
    heap_free(objects[slot].bytes);
    objects[slot] = (struct object){NULL, 0};
}

static void do_rounds(unsigned count) {
    for (unsigned round = 0; round < count; ++round) {
        const size_t slot = chance(slots);
        if (objects[slot].bytes == NULL) {
            make(slot);
        } else if (chance(4) == 0) {
            resize(slot);
        } else {
            release(slot);
        }
        require(heap_held() <= given, "no more is held than was given");
    }
    for (size_t slot = 0; slot < slots; ++slot) release(slot);
}

/* What has once fitted fits again, without more memory. */
static void check_reuse(void) {
    size_t held = 0;
    for (unsigned time = 0; time < 2; ++time) {
        for (size_t slot = 0; slot < slots; ++slot) {
            const size_t bytes = slot % 5 == 0 ? 40 * slot : 1 + slot;
            keep(slot, heap_alloc(bytes), bytes, 8);
            require(objects[slot].bytes != NULL, "there is room");
        }
        require(time == 0 || heap_held() == held, "what was given back serves again");
        held = heap_held();
        for (size_t slot = slots; slot-- != 0;) release(slot);
    }
}

/* Where the memory is used up, larger objects serve; when they are given back they serve their own size
 * again. */
static void check_used_up(void) {
    void* const large = heap_alloc(100);
    require(large != NULL, "there is room");
    heap_free(large);
    while (heap_alloc(64) != NULL) {
    }
    require(heap_alloc(90) == NULL, "the memory is used up");
    /* The large one has served one of 64 bytes by now. */
    heap_free(large);
    require(heap_alloc(100) == large, "a larger object has served, and is itself again");
    require(heap_alloc(SIZE_MAX) == NULL, "no bin holds all there is");
    require(heap_calloc(SIZE_MAX / 2, 3) == NULL, "no product is cut off");
}

static void open_at(size_t offset, size_t bytes) {
    begin = memory + offset;
    given = bytes;
    heap_open(begin, given);
    require(heap_held() == 0, "nothing is held at first");
}

int main(void) {
    state = 2463534242u;
    require(heap_alloc(1) == NULL, "before it is opened there is nothing");
    require(heap_held() == 0, "before it is opened nothing is held");
    heap_free(NULL);
    for (size_t offset = 0; offset < 16; offset += 3) {
        open_at(offset, offset % 2 == 0 ? memory_bytes : 3000 + offset);
        do_rounds(rounds);
    }
    open_at(0, memory_bytes);
    check_reuse();
    open_at(5, 2000);
    check_used_up();
    for (size_t bytes = 0; bytes < 64; ++bytes) {
        open_at(bytes % 8, bytes);
        while (heap_alloc(1) != NULL) {
        }
        require(heap_held() <= bytes, "little memory is enough for few");
    }
    board_write("all held\n");
    return 0;
}
