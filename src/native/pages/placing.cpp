#include "src/native/pages/placing.h"

#include <sys/mman.h>

#include <new>
#include <stdexcept>

#include "runtime/heaps/pages/page_heap.h"
#include "runtime/structures/freestanding/bit_search.h"

namespace malloom::native {

namespace {

using namespace heaps::pages;
using Heap = PageHeap<structures::SearchInMemory<structures::CountingSearch<structures::BuiltInZeros>>>;

/// Addresses, of which memory is what is touched.
class Memory {
  public:
    explicit Memory(uint64_t bytes)
        : bytes_(bytes),
          start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                      0)) {
        if (start_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }
    ~Memory() { munmap(start_, bytes_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* start() const { return start_; }
    int64_t offset_of(const void* object) const {
        return object == nullptr ? no_place
                                 : static_cast<const char*>(object) - static_cast<const char*>(start_);
    }
    void* at(int64_t offset) const { return static_cast<char*>(start_) + offset; }

  private:
    uint64_t bytes_;
    void* start_;
};

}  // namespace

std::vector<int64_t> place_in_pages(std::span<const uint64_t> sizes, std::span<const uint32_t> alignments,
                                    std::span<const int64_t> events, uint64_t bytes) {
    const Memory memory(bytes);
    Heap heap;
    Region* const region = heap.add_region(memory.start(), bytes);
    if (region == nullptr) {
        throw std::bad_alloc();
    }
    std::vector<int64_t> places(sizes.size(), no_place);
    for (const int64_t event : events) {
        const auto number = static_cast<size_t>(event < 0 ? ~event : event);
        if (number >= places.size() || (event < 0 && places[number] == no_place)) {
            throw std::invalid_argument("an event of no object");
        }
        if (event >= 0) {
            places[number] = memory.offset_of(heap.allocate_aligned(alignments[number], sizes[number]));
        } else {
            heap.release(*region, memory.at(places[number]),
                         [](Wrong, const void*) { throw std::invalid_argument("a free of what is free"); });
        }
    }
    return places;
}

}  // namespace malloom::native
