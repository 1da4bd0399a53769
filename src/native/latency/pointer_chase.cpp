#include "src/native/latency/pointer_chase.h"

#include <time.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace malloom::native {

namespace {

constexpr uint64_t page_lines = 64;
constexpr uint64_t block_lines = 16 * page_lines;
constexpr uint64_t lines_between_neighbours = 16;
// So many take long enough for the clock even in the first level; a walk of more lines goes round once, as
// the second round would find them nearer.
constexpr uint64_t least_steps = 1024;

using Random = std::mt19937;  // seeded alike: the same walk in every repetition and on every day

uint64_t below(Random& random, uint64_t bound) {
    return random() % bound;
}

std::vector<uint64_t> shuffled_blocks(Random& random, uint64_t lines) {
    std::vector<uint64_t> starts;
    for (uint64_t start = 0; start < lines; start += block_lines) {
        starts.push_back(start);
    }
    std::shuffle(starts.begin(), starts.end(), random);
    return starts;
}

}  // namespace

LineOrder random_order(uint64_t lines) {
    Random random(1);
    const uint64_t step = lines <= most_chased_lines ? 1 : lines_between_neighbours;
    LineOrder order;
    for (const uint64_t start : shuffled_blocks(random, lines)) {
        const size_t first = order.size();
        const uint64_t end = std::min(start + block_lines, lines);
        for (uint64_t line = start; line + step <= end; line += step) {
            order.push_back(static_cast<uint32_t>(line + below(random, step)));
        }
        std::shuffle(order.begin() + static_cast<ptrdiff_t>(first), order.end(), random);
        if (order.size() >= most_chased_lines) {
            break;
        }
    }
    return order;
}

LineOrder sequential_order(uint64_t lines) {
    LineOrder order(std::min(lines, most_chased_lines));
    for (uint32_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    return order;
}

namespace {

void** first_of(const std::vector<void**>& places) {
    if (places.empty()) {
        throw std::invalid_argument("a working set without a line to walk over");
    }
    return places.front();
}

}  // namespace

PointerChase::PointerChase(const std::vector<void**>& places)
    : at_(first_of(places)), places_(places.size()) {
    for (size_t i = 0; i < places.size(); ++i) {
        *places[i] = places[(i + 1) % places.size()];
    }
}

namespace {

std::vector<void**> places_of(std::span<std::byte> memory, const LineOrder& order) {
    std::vector<void**> places;
    places.reserve(order.size());
    for (const uint32_t line : order) {
        places.push_back(reinterpret_cast<void**>(&memory[line * chased_line_bytes]));
    }
    return places;
}

}  // namespace

PointerChase::PointerChase(std::span<std::byte> memory, const LineOrder& order)
    : PointerChase(places_of(memory, order)) {}

double PointerChase::nanoseconds_per_step() {
    const uint64_t rounds = (least_steps + places_ - 1) / places_;
    const uint64_t steps = rounds * places_;
    void** at = at_;
    const double began = nanoseconds_now();
    for (uint64_t step = 0; step < steps; ++step) {
        at = static_cast<void**>(*at);
    }
    // The walk's end is used, or the compiler would leave the walk out.
    asm volatile("" : "+r"(at) : : "memory");
    const double took = nanoseconds_now() - began;
    at_ = at;
    return took / static_cast<double>(steps);
}

double nanoseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace malloom::native
