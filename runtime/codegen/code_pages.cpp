#include "runtime/codegen/code_pages.h"

#include <errno.h>
#include <string.h>
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

uintptr_t past_aliases(uintptr_t address, const Aliases& avoided) {
    const uintptr_t into = (address - (avoided.address - avoided.margin)) % avoided.span;
    return into < 2 * avoided.margin ? address + 2 * avoided.margin - into : address;
}

// Processors that fetch instructions past the data cache would find there what was written before. Nothing
// where, as on x86-64, they do not.
void show_to_fetch(void* start, size_t bytes) {
    auto* first = static_cast<char*>(start);
    __builtin___clear_cache(first, first + bytes);
}

bool exchange(uintptr_t first, void* copy, size_t size, int protection) {
    return mprotect(copy, size, protection) == 0 && mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
                                                           reinterpret_cast<void*>(first)) != MAP_FAILED;
}

}  // namespace

unsigned char* CodePages::place(const Reach& reach, size_t bytes) {
    for (size_t i = 0; i < count_; ++i) {
        if (unsigned char* found = place_in(chunks_[i], reach, bytes)) {
            return found;
        }
    }
    Chunk* fresh = map(reach, bytes);
    return fresh == nullptr ? nullptr : place_in(*fresh, reach, bytes);
}

unsigned char* CodePages::place_in(Chunk& chunk, const Reach& reach, size_t bytes) {
    const uintptr_t free = chunk.free > reach.lowest ? chunk.free : reach.lowest;
    const uintptr_t start = past_aliases(free, reach.avoided);
    if (start > reach.highest || start > chunk.end || chunk.end - start < bytes) {
        return nullptr;
    }
    chunk.free = start + bytes;
    return reinterpret_cast<unsigned char*>(start);
}

// Tries addresses all over the reach, evenly; a small one has one or two pages.
CodePages::Chunk* CodePages::map(const Reach& reach, size_t bytes) {
    constexpr unsigned attempts = 512;
    const size_t page = platform::page_bytes();
    const uintptr_t first = reach.lowest > least_address ? reach.lowest : least_address;
    if (count_ == capacity || first > reach.highest) {
        return nullptr;
    }
    const uintptr_t step = platform::round_up((reach.highest - first) / attempts + 1, page);
    for (uintptr_t at = first; at <= reach.highest && at >= first;
         at = platform::round_down(at, page) + step) {
        const uintptr_t start = past_aliases(at, reach.avoided);
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
CodePages::Chunk* CodePages::map_at(uintptr_t start, size_t bytes) {
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

bool CodePages::seal() {
    const int saved = errno;
    for (size_t i = 0; i < count_; ++i) {
        Chunk& chunk = chunks_[i];
        void* start = reinterpret_cast<void*>(chunk.start);
        show_to_fetch(start, chunk.end - chunk.start);
        if (mprotect(start, chunk.end - chunk.start, PROT_READ | PROT_EXEC) != 0) {
            errno = saved;
            return false;
        }
        chunk.free = chunk.end;
    }
    return true;
}

void CodePages::release() {
    for (size_t i = 0; i < count_; ++i) {
        platform::unmap_pages(reinterpret_cast<void*>(chunks_[i].start), chunks_[i].end - chunks_[i].start);
    }
    count_ = 0;
    pages_ = 0;
}

bool write_code(uintptr_t address, const unsigned char* bytes, size_t count, int protection) {
    const int saved = errno;
    const size_t page = platform::page_bytes();
    const uintptr_t first = platform::round_down(address, page);
    const size_t size = platform::round_up(address + count, page) - first;
    auto* copy = static_cast<unsigned char*>(platform::map_pages(size));
    bool is_done = false;
    if (copy != nullptr) {
        memcpy(copy, reinterpret_cast<const void*>(first), size);
        memcpy(copy + (address - first), bytes, count);
        show_to_fetch(copy, size);
        is_done = exchange(first, copy, size, protection);
        if (!is_done) {
            platform::unmap_pages(copy, size);
        }
    }
    errno = saved;
    return is_done;
}

}  // namespace malloom::codegen
