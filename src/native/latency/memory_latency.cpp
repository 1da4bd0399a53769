#include "src/native/latency/memory_latency.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

#include "src/native/latency/pointer_chase.h"

namespace malloom::native {

namespace {

constexpr int repetitions = 5;
constexpr uint64_t page_bytes = 4096;
constexpr uint64_t walked_pages = 8192;  // twice the entries of the largest second-level TLBs

double least_of(int count, const std::function<double()>& measured) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) {
        least = std::min(least, measured());
    }
    return least;
}

double chain_of_additions() {
    constexpr int steps = 16000;
    uint64_t sum = 1;
    uint64_t summand = 3;
    asm volatile("" : "+r"(summand));  // not known to be constant: some processors add constants in no time
    const double began = nanoseconds_now();
    for (int i = 0; i < steps; ++i) {
        sum += summand;
        asm volatile("" : "+r"(sum));
    }
    return (nanoseconds_now() - began) / steps;
}

void read_in_order(std::span<const std::byte> memory) {
    for (size_t at = 0; at < memory.size(); at += chased_line_bytes) {
        static_cast<void>(*static_cast<const volatile std::byte*>(&memory[at]));
    }
}

/// The bytes whose lines are walked: what comes after them displaces them from nearer levels.
uint64_t walked_bytes(uint64_t working_set, uint64_t nearer) {
    return working_set >= 4 * nearer ? working_set - 2 * nearer : working_set;
}

double step_in(std::span<std::byte> memory, const LineOrder& order) {
    PointerChase chase(memory, order);
    return least_of(repetitions, [&] {
        read_in_order(memory);
        return chase.nanoseconds_per_step();
    });
}

/// The begin of each page's i-th line, so that all sets of the first level have as many.
std::vector<void**> a_line_a_page(std::span<std::byte> memory) {
    std::vector<void**> places;
    for (uint64_t page = 0; page < walked_pages; ++page) {
        const uint64_t line = page % (page_bytes / chased_line_bytes);
        places.push_back(reinterpret_cast<void**>(&memory[page * page_bytes + line * chased_line_bytes]));
    }
    return places;
}

}  // namespace

double cycle_nanoseconds() {
    return least_of(20, chain_of_additions);
}

double page_walk_nanoseconds() {
    WorkingMemory dense(walked_pages * chased_line_bytes, WorkingMemory::Pages::huge);
    WorkingMemory sparse(walked_pages * page_bytes, WorkingMemory::Pages::small);
    const LineOrder order = random_order(walked_pages);
    const std::vector<void**> in_page_order = a_line_a_page(sparse.resident(walked_pages * page_bytes));
    std::vector<void**> places;
    for (const uint32_t page : order) {
        places.push_back(in_page_order[page]);
    }
    PointerChase without(dense.resident(walked_pages * chased_line_bytes), order);
    PointerChase with(places);
    const double translated = least_of(repetitions, [&] { return with.nanoseconds_per_step(); });
    return translated - least_of(repetitions, [&] { return without.nanoseconds_per_step(); });
}

double MemoryLatency::random_access(uint64_t working_set, uint64_t nearer) {
    const uint64_t lines = walked_bytes(working_set, nearer) / chased_line_bytes;
    return step_in(memory_.resident(working_set), random_order(lines));
}

double MemoryLatency::sequential_access(uint64_t working_set, uint64_t nearer) {
    const uint64_t lines = walked_bytes(working_set, nearer) / chased_line_bytes;
    return step_in(memory_.resident(working_set), sequential_order(lines));
}

}  // namespace malloom::native
