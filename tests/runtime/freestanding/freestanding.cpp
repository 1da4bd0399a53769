// Uses everything of the run time that needs no operating system, as a program without one. Its exit status
// is the number of the first step that went wrong, 0 for none.
#include "runtime/heaps/heap.h"
#include "runtime/structures/freestanding/bit_search.h"
#include "runtime/structures/freestanding/custom_instructions.h"
#include "runtime/structures/freestanding/index_stack.h"
#include "runtime/structures/freestanding/shared_word.h"
#include "runtime/structures/freestanding/unit_search.h"
#include "tests/runtime/heaps/bump_heap.h"

namespace malloom::tests {
namespace {

using structures::IndexStack;

// As if they came from outside, so that compilers work nothing out ahead.
volatile bool is_alone = false;
alignas(64) unsigned char region[4096];

bool words_change() {
    uintptr_t word = 5;
    const bool is_replaced = structures::replace(is_alone, word, 5, 6);
    const bool is_left = !structures::replace(is_alone, word, 5, 7);
    structures::flip(is_alone, word, 3);
    const uintptr_t before = structures::fetch_add(is_alone, word, 10);
    structures::add_in_thread(word, -1);
    return is_replaced && is_left && before == 5 && structures::load(word) == 14;
}

bool counts_add_up() {
    structures::RacyCount count;
    count.add(3);
    count.add(4);
    return count.now() == 7;
}

bool stack_gives_the_last_first() {
    IndexStack stack;
    uint32_t links[4];
    stack.push(is_alone, links, 2);
    stack.push(is_alone, links, 0);
    return stack.pop(is_alone, links) == 0 && stack.pop(is_alone, links) == 2 &&
           stack.pop(is_alone, links) == IndexStack::none;
}

template <heaps::RegionHeap Heap>
bool heap_serves(Heap& heap) {
    if (heap.owns(region) || !heap.open(region, sizeof region)) {
        return false;
    }
    void* first = heap.allocate({20, 0});
    void* second = heap.allocate({100, 256});
    if (first == nullptr || second == nullptr || heap.allocate({sizeof region, 0}) != nullptr) {
        return false;
    }
    const bool is_right = heap.owns(first) && !heap.owns(&heap) && heap.usable_size(first) >= 20 &&
                          reinterpret_cast<uintptr_t>(second) % 256 == 0 && heap.resize(first, {19, 0}) &&
                          !heap.resize(first, {1000, 0});
    heap.deallocate(second);
    return is_right && heap.allocate({100, 256}) == second;
}

/// A unit that has all of them free and forgets what was taken.
struct ForgetfulUnit {
    template <structures::UnitRequest>
    static uint32_t ask(uint32_t, uint32_t) {
        return 0;
    }
};

template <class Search>
bool bits_are_found() {
    uint32_t words[2] = {0, 0};
    const bool are_put = Search::put(0, words, 37, false) && Search::put(0, words, 60, false);
    return are_put && !Search::put(0, words, 37, false) && Search::take(0, words) == 37 &&
           words[1] == 1U << 28;
}

bool bitmaps_are_searched() {
    using Unit = structures::SearchInUnit<ForgetfulUnit>;
    uint32_t words[2] = {1, 2};
    Unit::load(0, words, 2);
    return bits_are_found<structures::SearchInMemory<structures::LinearSearch<>>>() &&
           bits_are_found<structures::SearchInMemory<structures::KampSearch<>>>() &&
           bits_are_found<
               structures::SearchInMemory<structures::CountingSearch<structures::MultipliedZeros>>>() &&
           words[1] == 0 && Unit::take(0, words) == 0 && Unit::put(0, words, 1, true) && !Unit::was_wrong();
}

#if defined(__riscv)
/// Compiled, and never called: not every core has the instructions.
[[gnu::used]] uint32_t status_of_a_unit() {
    return structures::InstructionUnit::ask<structures::UnitRequest::status>(0);
}
#endif

int first_wrong_step() {
    BumpHeap heap;
    return !words_change()                 ? 1
           : !counts_add_up()              ? 2
           : !stack_gives_the_last_first() ? 3
           : !heap_serves(heap)            ? 4
           : !bitmaps_are_searched()       ? 5
                                           : 0;
}

}  // namespace
}  // namespace malloom::tests

#if defined(__x86_64__) && defined(__linux__)
// The one thing that Linux is asked for here, so that the test can see how it went.
extern "C" [[noreturn, gnu::force_align_arg_pointer]] void _start() {
    const long exit_group = 231;
    const long status = malloom::tests::first_wrong_step();
    __asm__ volatile("syscall" : : "a"(exit_group), "D"(status) : "memory");
    __builtin_unreachable();
}
#else
volatile int status = -1;
extern "C" [[noreturn]] void _start() {
    status = malloom::tests::first_wrong_step();
    for (;;) {
    }
}
#endif
