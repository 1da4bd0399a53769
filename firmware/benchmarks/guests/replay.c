/* Replays the requests of a recorded guest into the heap that it is linked with. How many instructions that
 * takes is counted from outside, by their addresses: all but those of the functions here and of the board,
 * whose names begin with `replay_` and `board_`. Prints what the suite reads
 * (src/malloom/bench/bins/guests.py, which writes the file). */
#include <stdint.h>

#include "firmware/benchmarks/guests/guest_heap.h"
#include "firmware/board.h"

enum { replay_magic = 0x5447474d, replay_version = 1, replay_alignment = sizeof(void*) };
enum replay_kind { replay_alloc, replay_alloc_zeroed, replay_free, replay_resize };
enum { replay_ended_well, replay_bad_file, replay_no_memory, replay_wrong_object };

struct replay_header {
    uint32_t magic;
    uint32_t version;
    uint32_t operations;
    uint32_t slots;
    uint32_t heap_bytes;
};

struct replay_operation {
    uint32_t slot_and_kind; /* the kind in the lowest 4 bits */
    uint32_t bytes;
};

/* An object and what it was asked for with. */
struct replay_object {
    uint8_t* begin;
    size_t bytes;
};

static const uint8_t* replay_end; /* of the object that reached furthest */
static uint32_t replay_failures;

static void replay_field(const char* name, size_t number) {
    board_write(name);
    board_write(" ");
    board_write_number(number);
    board_write(" ");
}

static __attribute__((noinline)) void replay_mark(struct replay_object* object, uint32_t slot) {
    if (object->begin == NULL) {
        ++replay_failures;
        return;
    }
    object->begin[object->bytes - 1] = (uint8_t)slot;
    object->begin[0] = (uint8_t)slot;
    if (object->begin + object->bytes > replay_end) replay_end = object->begin + object->bytes;
}

static __attribute__((noinline)) int replay_is_whole(const struct replay_object* object, uint32_t slot) {
    return object->begin[0] == (uint8_t)slot && (uintptr_t)object->begin % replay_alignment == 0;
}

static __attribute__((noinline)) int replay_is_zero(const struct replay_object* object) {
    for (size_t at = 0; object->begin != NULL && at < object->bytes; ++at) {
        if (object->begin[at] != 0) return 0;
    }
    return 1;
}

static __attribute__((noinline)) int replay_one(struct replay_object* object, uint32_t slot, uint32_t kind,
                                                size_t bytes) {
    if (kind != replay_alloc && kind != replay_alloc_zeroed && object->begin == NULL) return 1;
    if ((kind == replay_free || kind == replay_resize) && !replay_is_whole(object, slot)) return 0;
    uint8_t* moved;
    switch (kind) {
        case replay_alloc:
        case replay_alloc_zeroed:
            object->bytes = bytes;
            if (kind == replay_alloc) {
                object->begin = guest_alloc(bytes, replay_alignment);
            } else {
                object->begin = guest_alloc_zeroed(bytes, replay_alignment);
                if (!replay_is_zero(object)) return 0;
            }
            break;
        case replay_free:
            guest_free(object->begin, object->bytes, replay_alignment);
            object->begin = NULL;
            return 1;
        default:
            moved = guest_resize(object->begin, object->bytes, replay_alignment, bytes);
            if (moved == NULL) {
                ++replay_failures;
                return 1;
            }
            object->begin = moved;
            object->bytes = bytes;
            if (!replay_is_whole(object, slot)) return 0;
            break;
    }
    replay_mark(object, slot);
    return 1;
}

static int replay_all(const struct replay_header* header, struct board_range memory) {
    struct replay_object* const objects = (struct replay_object*)memory.begin;
    const size_t beside = (header->slots * sizeof *objects + 63) / 64 * 64;
    const struct replay_operation* const operations = (const struct replay_operation*)(header + 1);
    if (beside > memory.bytes || header->heap_bytes > memory.bytes - beside) return replay_no_memory;
    for (uint32_t slot = 0; slot < header->slots; ++slot) objects[slot].begin = NULL;
    guest_open(memory.begin + beside, header->heap_bytes);
    replay_end = memory.begin + beside;
    for (uint32_t at = 0; at < header->operations; ++at) {
        const uint32_t word = operations[at].slot_and_kind;
        if (!replay_one(&objects[word >> 4], word >> 4, word & 15, operations[at].bytes)) {
            return replay_wrong_object;
        }
    }
    replay_field("operations", header->operations);
    replay_field("failures", replay_failures);
    replay_field("held", (size_t)(replay_end - (memory.begin + beside)));
    board_write("\n");
    return replay_ended_well;
}

int main(void) {
    const struct board_range data = board_data();
    const struct replay_header* const header = (const struct replay_header*)data.begin;
    if (data.bytes < sizeof *header || header->magic != replay_magic || header->version != replay_version ||
        header->operations > (data.bytes - sizeof *header) / sizeof(struct replay_operation)) {
        return replay_bad_file;
    }
    return replay_all(header, board_memory());
}
