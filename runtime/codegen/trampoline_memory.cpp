#include "runtime/codegen/trampoline_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/platform/memory.h"

namespace malloom::codegen {

namespace {

constexpr uintptr_t least_address = uintptr_t{1} << 20;  // below, null pointers with an offset should fault
constexpr uintptr_t break_room = uintptr_t{64} << 20;
constexpr uintptr_t stack_room = uintptr_t{1} << 30;

bool is_grown_into(uintptr_t address) {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const auto heap_end = reinterpret_cast<uintptr_t>(sbrk(0));
    return address - heap_end < break_room || here - address < stack_room;
}

bool is_allowed(uintptr_t address) {
    return address >= least_address && !is_grown_into(address);
}

// Branch predictors know a branch by the low 24 bits of its address. Where a trampoline's are those of its
// load, its branch and those beside the load put each other out, which costs 10 ns every time.
constexpr uintptr_t predicted_span = uintptr_t{1} << 24;
constexpr uintptr_t alias_bytes = 512;  // on either side

uintptr_t past_aliases(uintptr_t address, uintptr_t source) {
    const uintptr_t into = (address - (source - alias_bytes)) % predicted_span;
    return into < 2 * alias_bytes ? address + 2 * alias_bytes - into : address;
}

}  // namespace

unsigned char* TrampolineMemory::place(const Reach& reach, size_t bytes) {
    for (size_t i = 0; i < count_; ++i) {
        if (unsigned char* found = place_in(chunks_[i], reach, bytes)) {
            return found;
        }
    }
    Chunk* fresh = map(reach, bytes);
    return fresh == nullptr ? nullptr : place_in(*fresh, reach, bytes);
}

unsigned char* TrampolineMemory::place_in(Chunk& chunk, const Reach& reach, size_t bytes) {
    const uintptr_t free = chunk.free > reach.lowest ? chunk.free : reach.lowest;
    const uintptr_t start = past_aliases(free, reach.source);
    if (start > reach.highest || start > chunk.end || chunk.end - start < bytes) {
        return nullptr;
    }
    chunk.free = start + bytes;
    return reinterpret_cast<unsigned char*>(start);
}

// Tries addresses all over the reach, evenly; a small one has one or two pages.
TrampolineMemory::Chunk* TrampolineMemory::map(const Reach& reach, size_t bytes) {
    constexpr unsigned attempts = 512;
    const size_t page = platform::page_bytes();
    const uintptr_t first = reach.lowest > least_address ? reach.lowest : least_address;
    if (count_ == capacity || first > reach.highest) {
        return nullptr;
    }
    const uintptr_t step = platform::round_up((reach.highest - first) / attempts + 1, page);
    for (uintptr_t at = first; at <= reach.highest && at >= first;
         at = platform::round_down(at, page) + step) {
        const uintptr_t start = past_aliases(at, reach.source);
        if (start > reach.highest || !is_allowed(start)) {
            continue;
        }
        if (Chunk* chunk = map_at(start, bytes)) {
            return chunk;
        }
    }
    return nullptr;
}

// The page that holds `start`, and the next one where the code would not fit.
TrampolineMemory::Chunk* TrampolineMemory::map_at(uintptr_t start, size_t bytes) {
    const size_t page = platform::page_bytes();
    const uintptr_t first = platform::round_down(start, page);
    const size_t size = platform::round_up(start + bytes, page) - first;
    const int saved = errno;
    void* mapped = mmap(reinterpret_cast<void*>(first), size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    errno = saved;
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    if (reinterpret_cast<uintptr_t>(mapped) != first) {  // before Linux 4.17 the flag is a wish
        platform::unmap_pages(mapped, size);
        return nullptr;
    }
    chunks_[count_] = {first, first + size, first};
    pages_ += size / page;
    return &chunks_[count_++];
}

bool TrampolineMemory::seal() {
    const int saved = errno;
    for (size_t i = 0; i < count_; ++i) {
        void* start = reinterpret_cast<void*>(chunks_[i].start);
        if (mprotect(start, chunks_[i].end - chunks_[i].start, PROT_READ | PROT_EXEC) != 0) {
            errno = saved;
            return false;
        }
    }
    return true;
}

void TrampolineMemory::release() {
    for (size_t i = 0; i < count_; ++i) {
        platform::unmap_pages(reinterpret_cast<void*>(chunks_[i].start), chunks_[i].end - chunks_[i].start);
    }
    count_ = 0;
    pages_ = 0;
}

}  // namespace malloom::codegen
