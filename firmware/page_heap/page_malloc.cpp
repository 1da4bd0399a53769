#include "firmware/page_heap/page_malloc.h"

#include "firmware/board.h"
#include "runtime/heaps/heap.h"
#include "runtime/heaps/pages/page_heap.h"
#include "runtime/heaps/pages/windowed_heap.h"
#include "runtime/structures/freestanding/bit_search.h"
#include "runtime/structures/freestanding/unit_search.h"

namespace {

using namespace malloom::structures;
using malloom::heaps::pages::Region;
using malloom::heaps::pages::Wrong;

template <class Search>
using PageHeap = malloom::heaps::pages::PageHeap<Search>;

// By the name that the macro is, as a library's name ends.
using linear = PageHeap<SearchInMemory<LinearSearch<>>>;
using kamp = PageHeap<SearchInMemory<KampSearch<>>>;
#if defined(__riscv)
using ctz = PageHeap<SearchInMemory<CountingSearch<MultipliedZeros>>>;
using ctz_instruction = PageHeap<SearchInMemory<CountingSearch<InstructionZeros>>>;
using hardware = PageHeap<SearchInUnit<InstructionUnit>>;
using better = malloom::heaps::pages::WindowedHeap<malloom::heaps::pages::WindowInstructions>;
#else
using ctz = PageHeap<SearchInMemory<CountingSearch<BuiltInZeros>>>;
#endif
using Heap = MALLOOM_PAGE_SEARCH;

constinit Heap heap;
constinit Region no_region = {};
constinit Region* region = &no_region;

bool open_heap() {
    heap.on_late_misuse([] { malloom_page_misused(MALLOOM_PAGES_FREED_BEFORE_LATE, nullptr); });
    const board_range memory = board_memory();
    const auto begin = reinterpret_cast<uintptr_t>(memory.begin);
    const size_t skipped = (Heap::page_bytes - begin) & (Heap::page_bytes - 1);
    Region* const added =
        memory.bytes > skipped ? heap.add_region(memory.begin + skipped, memory.bytes - skipped) : nullptr;
    region = added != nullptr ? added : region;
    return added != nullptr;
}

// Whether there may be some where there was none: in the beginning, and where the heap has kept empty pages
// of other sizes.
[[gnu::cold, gnu::noinline]] bool make_room() {
    if (region == &no_region) {
        return open_heap();
    }
    heap.give_back_empty();
    return true;
}

[[gnu::noinline]] void* malloc_slow(size_t bytes) {
    void* const object = heap.allocate_slow(bytes);
    return object != nullptr || !make_room() ? object : heap.allocate_slow(bytes);
}

constexpr bool is_power_of_two(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

[[gnu::noinline]] void* allocate_aligned(size_t alignment, size_t bytes) {
    void* const object = heap.allocate_aligned(alignment, bytes);
    return object != nullptr || !make_room() ? object : heap.allocate_aligned(alignment, bytes);
}

[[gnu::cold, gnu::noinline]] void misused(Wrong what, const void* object) {
    malloom_page_misused(what == Wrong::foreign ? MALLOOM_PAGES_FOREIGN : MALLOOM_PAGES_FREED_BEFORE, object);
}

[[gnu::always_inline]] inline bool is_foreign(const void* object) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(region);
    return offset >> Heap::Geometry::page_shift >= region->pages;
}

// Where it is not, whoever hears of misuse has noticed it.
bool is_living(const void* object) {
    if (is_foreign(object)) {
        misused(Wrong::foreign, object);
        return false;
    }
    return heap.is_living(*region, object, misused);
}

Heap::UnitState& unit_state(malloom_page_unit_state* state) {
    static_assert(sizeof(Heap::UnitState) <= sizeof state->words);
    return *reinterpret_cast<Heap::UnitState*>(state->words);
}

// Where no unit has taken it back, with the unit's answer if there is one.
template <class... Answer>
[[gnu::always_inline]] inline void release(void* object, Answer... answer) {
    if (!is_foreign(object)) [[likely]] {
        heap.release(*region, object, answer..., misused);
    } else if (object != nullptr) {
        misused(Wrong::foreign, object);
    }
}

template <class AnyHeap>
[[gnu::always_inline]] inline void free_in(AnyHeap&, void* object) {
    if constexpr (requires { typename AnyHeap::Answer; }) {
        const auto answer = AnyHeap::give(object);
        if (answer != AnyHeap::Answer::given) [[unlikely]] {
            release(object, answer);
        }
    } else {
        release(object);
    }
}

}  // namespace

extern "C" {

void* memset(void* to, int byte, size_t bytes);
void* memcpy(void* to, const void* from, size_t bytes);

void* malloc(size_t bytes) {
    return heap.allocate(bytes, malloc_slow);
}

void free(void* object) {
    free_in(heap, object);
}

void* calloc(size_t count, size_t each) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes)) {
        return nullptr;
    }
    void* const object = malloc(bytes);
    return object != nullptr ? memset(object, 0, bytes) : nullptr;
}

void* realloc(void* object, size_t bytes) {
    if (object == nullptr) {
        return malloc(bytes);
    }
    if (!is_living(object)) {
        return nullptr;
    }
    const size_t had = heap.usable_size(*region, object);
    if (malloom::heaps::fits_room(bytes, had)) {
        return object;
    }
    void* const moved = malloc(bytes);
    if (moved != nullptr) {
        memcpy(moved, object, had < bytes ? had : bytes);
        free(object);
    }
    return moved;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    return is_power_of_two(alignment) ? allocate_aligned(alignment, bytes) : nullptr;
}

void* memalign(size_t alignment, size_t bytes) {
    return aligned_alloc(alignment, bytes);
}

int posix_memalign(void** object, size_t alignment, size_t bytes) {
    constexpr int no_memory = 12;
    constexpr int invalid = 22;
    if (alignment < sizeof(void*) || !is_power_of_two(alignment)) {
        return invalid;
    }
    void* const made = allocate_aligned(alignment, bytes);
    if (made == nullptr) {
        return no_memory;
    }
    *object = made;
    return 0;
}

size_t malloc_usable_size(void* object) {
    return is_foreign(object) ? 0 : heap.usable_size(*region, object);
}

[[gnu::weak]] void malloom_page_misused(malloom_page_misuse what, const void* object) {
    board_write(what == MALLOOM_PAGES_FOREIGN ? "free where no object begins: "
                                              : "free of what is free already: ");
    board_write_number(reinterpret_cast<uintptr_t>(object));
    board_write("\n");
    board_exit(MALLOOM_PAGES_MISUSED);
}

void malloom_page_unit_save(malloom_page_unit_state* state) {
    unit_state(state).save();
}
void malloom_page_unit_restore(malloom_page_unit_state* state) {
    unit_state(state).restore();
}
int malloom_page_heap_is_valid(void) {
    return heap.is_valid();
}
}
