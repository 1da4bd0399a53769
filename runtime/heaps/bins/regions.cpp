#include "runtime/heaps/bins/regions.h"

namespace malloom::heaps::bins {

namespace {

uintptr_t number(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

}  // namespace

Region* lay_out(void* memory, size_t bytes, size_t granule, unsigned level) {
    const uintptr_t begin = round_up(number(memory), alignof(Region));
    const uintptr_t first_object = round_up(begin + sizeof(Region) + head_bytes, granule);
    const uintptr_t end = number(memory) + bytes;
    if (bytes > most_bytes || end < number(memory) || first_object < begin || end < first_object ||
        end - first_object < head_bytes + least_chunk(granule)) {
        return nullptr;
    }
    const uintptr_t room = (end - first_object) & ~(granule - 1);
    auto* region = reinterpret_cast<Region*>(begin);
    *region = {nullptr, memory, reinterpret_cast<Chunk*>(first_object - head_bytes),
               reinterpret_cast<Chunk*>(first_object - head_bytes + room), level};
    region->first->head = room | before_lives;
    region->end->bytes_before = room;
    region->end->head = lives;
    return region;
}

bool overlaps(const malloom_bins& heap, const void* memory, size_t bytes) {
    for (const Region* region = heap.regions; region != nullptr; region = region->next) {
        const uintptr_t end = number(region->end) + head_bytes;
        if (number(memory) < end && number(region->memory) < number(memory) + bytes) {
            return true;
        }
    }
    return false;
}

void join(malloom_bins& heap, Region& region) {
    Region** place = &heap.regions;
    while (*place != nullptr && (*place)->level <= region.level) {
        place = &(*place)->next;
    }
    region.next = *place;
    *place = &region;
}

void leave(malloom_bins& heap, const Region& region) {
    Region** place = &heap.regions;
    while (*place != &region) {
        place = &(*place)->next;
    }
    *place = region.next;
}

namespace {

/// Whether links are there: of a chunk, or of a bin.
bool has_links(const malloom_bins& heap, const Chunk* chunk) {
    const size_t from_lists = number(chunk) + head_bytes - number(heap.lists);
    const Region* region = region_of(heap, chunk);
    return number(chunk) % alignof(Chunk) == 0 &&
           (region != nullptr
                ? fits(*region, *chunk, sizeof(Chunk))
                : from_lists < size_t{heap.levels} * heap.most_bins * sizeof(malloom_bins_links));
}

}  // namespace

bool is_linked(const malloom_bins& heap, const Chunk& chunk) {
    return has_links(heap, chunk.next) && has_links(heap, chunk.previous) && chunk.next->previous == &chunk &&
           chunk.previous->next == &chunk;
}

malloom_bins_result tell(malloom_bins& heap, malloom_bins_result why, uintptr_t about) {
    heap.failures += why == MALLOOM_BINS_NO_MEMORY;
    if (heap.hooks != nullptr && heap.hooks->failed != nullptr) {
        heap.hooks->failed(heap.hooks->context, why, about);
    }
    return why;
}

void* refuse(malloom_bins& heap, malloom_bins_result why, uintptr_t about) {
    tell(heap, why, about);
    return nullptr;
}

bool is_chunk(const Region& region, const Chunk& chunk) {
    const Chunk* at = region.first;
    while (at < &chunk && fits(region, *at, bytes_of(*at))) {
        at = &after(*at, bytes_of(*at));
    }
    return at == &chunk;
}

}  // namespace malloom::heaps::bins
