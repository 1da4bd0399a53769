// Asks malloc for objects of many sizes and frees them, at random; each keeps what was written into it. Then
// it misuses the heap: by some calls that are counted, and by frees of all addresses where no object begins.
// Last it takes all memory. It prints what it found: objects that changed and answers that were wrong,
// misuses that were told of the counted ones, whether the heap is whole, and the first objects of a size.
#include "firmware/page_heap/page_malloc.h"

#include "firmware/board.h"

// There is no C library.
extern "C" {
void* malloc(size_t bytes);
void free(void* object);
void* calloc(size_t count, size_t each);
void* realloc(void* object, size_t bytes);
void* aligned_alloc(size_t alignment, size_t bytes);
void* memalign(size_t alignment, size_t bytes);
int posix_memalign(void** object, size_t alignment, size_t bytes);
size_t malloc_usable_size(void* object);
void* memset(void* to, int byte, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        static_cast<volatile char*>(to)[i] = static_cast<char>(byte);
    }
    return to;
}
void* memcpy(void* to, const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
    }
    return to;
}
}

static uint32_t told[4];

void malloom_page_misused(enum malloom_page_misuse what, const void*) {
    ++told[what];
}

namespace {

struct Object {
    uint8_t* start;
    size_t bytes;
};

constexpr uint32_t most_objects = 150;
constinit uint32_t state = 1;
constinit Object objects[most_objects] = {};
constinit uint32_t changed = 0;

uint32_t drawn(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

void make(Object& object) {
    object.bytes = drawn(16) != 0 ? drawn(400) : drawn(9000);
    object.start = static_cast<uint8_t*>(drawn(2) != 0 ? malloc(object.bytes) : calloc(1, object.bytes));
    memset(object.start, static_cast<int>(object.bytes), object.bytes);
}

void check(const Object& object, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        changed += object.start[i] != (object.bytes & 0xff);
    }
}

void grow(Object& object) {
    const size_t bytes = object.bytes + drawn(200);
    object.start = static_cast<uint8_t*>(realloc(object.start, bytes));
    check(object, object.bytes);
    object.bytes = bytes;
    memset(object.start, static_cast<int>(bytes), bytes);
}

void end(Object& object) {
    check(object, object.bytes);
    free(object.start);
    object = {};
}

void work() {
    for (uint32_t step = 0; step < 900; ++step) {
        Object& object = objects[drawn(most_objects)];
        if (object.start == nullptr) {
            make(object);
        } else if (drawn(8) == 0) {
            grow(object);
        } else {
            end(object);
        }
        if (step % 300 == 0) {
            changed += malloom_page_heap_is_valid() == 0;
        }
    }
    for (Object& object : objects) {
        if (object.start != nullptr) {
            end(object);
        }
    }
}

/// By each call that takes an alignment; all is usable.
void make_aligned(size_t alignment, size_t bytes) {
    void* made[3] = {aligned_alloc(alignment, bytes), memalign(alignment, bytes), nullptr};
    changed += posix_memalign(&made[2], alignment, bytes) != 0;
    for (void* object : made) {
        changed += object == nullptr || reinterpret_cast<uintptr_t>(object) % alignment != 0 ||
                   malloc_usable_size(object) < bytes;
        memset(object, 1, malloc_usable_size(object));
    }
    for (void* object : made) {
        free(object);
    }
}

void align() {
    for (size_t alignment = 4; alignment <= size_t{1} << 14; alignment *= 2) {
        make_aligned(alignment, 1);
        make_aligned(alignment, 300);
        make_aligned(alignment, 5000);
    }
    void* none = nullptr;
    changed += aligned_alloc(24, 100) != nullptr || memalign(0, 100) != nullptr;
    changed += posix_memalign(&none, 24, 100) != 22 || posix_memalign(&none, 2, 100) != 22;
    changed += posix_memalign(&none, 16, SIZE_MAX / 2) != 12 || none != nullptr;
    changed += malloc_usable_size(nullptr) != 0 || malloc_usable_size(&state) != 0;
    changed += !malloom_page_heap_is_valid();
}

void misuse() {
    auto* small = static_cast<char*>(malloc(100));
    auto* large = static_cast<char*>(malloc(9000));
    free(small + 16);
    free(large + 4096);
    free(&state);
    free(large);
    free(large);
    free(small);
    free(small);
    // A unit in hardware tells by now.
    changed += malloc(100) != small;
    free(small);
}

/// Each is told, and nobody gets an object for it. The others stay what they are.
void reallocate_what_is_no_object() {
    auto* small = static_cast<char*>(malloc(100));
    auto* other = static_cast<char*>(malloc(100));
    auto* large = static_cast<char*>(malloc(9000));
    changed += realloc(small, 90) != small;
    changed += realloc(small + 16, 90) != nullptr;
    changed += realloc(small + 16, 900) != nullptr;
    changed += realloc(&state, 4) != nullptr;
    changed += realloc(large + 4096, 8000) != nullptr;
    free(large);
    changed += realloc(large, 9000) != nullptr;
    free(other);
    changed += realloc(other, 90) != nullptr;
    changed += realloc(other, 900) != nullptr;
    changed += malloc(100) != other;
    free(other);
    free(small);
}

/// Whether one begins at an address.
bool is_object(const uint8_t* address) {
    for (const Object& object : objects) {
        if (object.start == address) {
            return true;
        }
    }
    return false;
}

/// Nothing of it is taken back: what comes afterwards is written over, and no other object and nothing of the
/// heap's own lies there.
void free_what_is_no_object() {
    constexpr size_t most_bytes = size_t{1} << 17;
    for (uint32_t number = 0; number < most_objects; number += 2) {
        make(objects[number]);
    }
    const board_range memory = board_memory();
    uint8_t* const begin = memory.begin;
    for (size_t offset = 0; offset < memory.bytes && offset < most_bytes; offset += 16) {
        if (!is_object(begin + offset)) {
            free(begin + offset);
        }
    }
    for (uint32_t number = 1; number < most_objects; number += 2) {
        make(objects[number]);
    }
    for (Object& object : objects) {
        end(object);
    }
}

void** make_linked(size_t bytes, void** last) {
    auto** const object = static_cast<void**>(malloc(bytes));
    if (object != nullptr) {
        *object = last;
    }
    return object;
}

/// Where all memory is taken, the empty page of each size that the heap keeps serves what is asked for.
void take_all_memory() {
    constexpr size_t page = 4096;
    void* of_size[8];
    for (uint32_t number = 0; number < 8; ++number) {
        of_size[number] = malloc(size_t{16} << number);
    }
    void** last = nullptr;
    for (size_t bytes = size_t{1} << 20; bytes >= page; bytes /= 2) {
        while (void** const object = make_linked(bytes, last)) {
            last = object;
        }
    }
    for (void* object : of_size) {
        free(object);
    }
    uint32_t more = 0;
    while (void** const object = make_linked(page, last)) {
        last = object;
        ++more;
    }
    changed += more != 8;
    while (last != nullptr) {
        void** const before = static_cast<void**>(*last);
        free(last);
        last = before;
    }
}

}  // namespace

int main() {
    work();
    align();
    misuse();
    reallocate_what_is_no_object();
    const uint32_t foreign = told[MALLOOM_PAGES_FOREIGN];
    const uint32_t freed_before = told[MALLOOM_PAGES_FREED_BEFORE] + told[MALLOOM_PAGES_FREED_BEFORE_LATE];
    free_what_is_no_object();
    take_all_memory();
    const uint32_t counts[] = {changed, foreign, freed_before,
                               static_cast<uint32_t>(malloom_page_heap_is_valid())};
    for (uint32_t count : counts) {
        board_write_number(count);
        board_write(" ");
    }
    for (int i = 0; i < 40; ++i) {
        board_write_number(reinterpret_cast<uintptr_t>(malloc(20)) & 0xfff);
        board_write(" ");
    }
    board_write("\n");
    return 0;
}
