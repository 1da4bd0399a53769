#include "hardware/cosim/paired_heaps.h"

#include <sys/mman.h>

namespace malloom::hardware {

namespace {

// Addresses of which none is in use; null where there are not so many.
void* reserve(size_t bytes) {
    void* const begin =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return begin == MAP_FAILED ? nullptr : begin;
}

size_t distance(const heaps::pages::Region* region, const void* object) {
    return reinterpret_cast<uintptr_t>(object) - region->base();
}

}  // namespace

PairedHeaps::PairedHeaps(size_t bytes) : bytes_(bytes) {
    void* const first = reserve(bytes);
    void* const second = reserve(bytes);
    if (first == nullptr || second == nullptr) {
        say("there are not enough addresses for the heaps");
        return;
    }
    in_memory_.region = in_memory_.heap.add_region(first, bytes);
    in_unit_.region = in_unit_.heap.add_region(second, bytes);
    in_unit_.heap.on_late_misuse([] { std::abort(); });
}

PairedHeaps::~PairedHeaps() {
    if (in_memory_.region != nullptr) munmap(in_memory_.region, bytes_);
    if (in_unit_.region != nullptr) munmap(in_unit_.region, bytes_);
}

size_t PairedHeaps::allocate(size_t bytes) {
    if (!problem_.empty()) return 0;
    void* const wanted = in_memory_.heap.allocate(bytes);
    void* const found = in_unit_.heap.allocate(bytes);
    if (wanted == nullptr || found == nullptr) {
        say("a request for " + std::to_string(bytes) + " bytes got nothing");
        return 0;
    }
    const size_t place = distance(in_memory_.region, wanted);
    if (distance(in_unit_.region, found) != place) {
        say("the unit put an object of " + std::to_string(bytes) + " bytes at " +
            std::to_string(distance(in_unit_.region, found)) + ", and not at " + std::to_string(place));
    }
    return place;
}

void PairedHeaps::release(size_t place) {
    if (!problem_.empty()) return;
    release_from(in_memory_, place);
    release_from(in_unit_, place);
}

template <class Search>
void PairedHeaps::release_from(Side<Search>& side, size_t place) {
    void* const object = reinterpret_cast<void*>(side.region->base() + place);
    side.heap.release(*side.region, object, [&](heaps::pages::Wrong, const void*) {
        say("the object at " + std::to_string(place) + " was not taken back");
    });
}

void PairedHeaps::check_validity() {
    if (!problem_.empty()) return;
    if (!in_memory_.heap.is_valid()) say("the heap in memory is damaged");
    if (!in_unit_.heap.is_valid()) say("the heap with the unit is damaged");
}

void PairedHeaps::say(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
}

}  // namespace malloom::hardware
