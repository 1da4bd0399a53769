// What a heap holds, and whether it is whole.
#include "include/malloom/bins.h"
#include "runtime/heaps/bins/bin_heap.h"

using namespace malloom::heaps::bins;

namespace {

/// Calls visit(chunk, bytes) for each chunk of each region until it returns other than 0.
template <class Visit>
int visit_chunks(const malloom_bins& heap, Visit visit) {
    for (const Region* region = heap.regions; region != nullptr; region = region->next) {
        const Chunk* chunk = region->first;
        while (chunk != region->end) {
            const size_t bytes = bytes_of(*chunk);
            if (!fits(*region, *chunk, bytes)) {
                return MALLOOM_BINS_DAMAGED;
            }
            if (const int said = visit(*chunk, bytes); said != 0) {
                return said;
            }
            chunk = &after(*chunk, bytes);
        }
    }
    return 0;
}

const void* object_in(const Chunk& chunk) {
    return reinterpret_cast<const char*>(&chunk) + head_bytes;
}

bool is_marked(const uint32_t* filled, unsigned bin) {
    return (filled[1 + bin / 32] >> bin % 32 & 1) != 0 && (filled[0] >> bin / 32 & 1) != 0;
}

/// Counts the chunks of a bin; false where one does not belong there, or the order is wrong.
bool check_bin(const malloom_bins& heap, size_t level, unsigned bin, size_t most, size_t& chunks) {
    const Chunk* ring = ring_of(heap.lists[level * heap.most_bins + bin]);
    const bool is_sorted = (heap.options & MALLOOM_BINS_BOUNDED) == 0;
    size_t bytes_before = 0;
    size_t in_bin = 0;
    for (const Chunk* chunk = ring->next; chunk != ring; chunk = chunk->next) {
        const Region* region = region_of(heap, chunk);
        if (++in_bin > most || region == nullptr || region->level != level || !agrees(*region, *chunk) ||
            !is_linked(heap, *chunk) || heap.function(bytes_of(*chunk), &heap) != bin ||
            (is_sorted && bytes_of(*chunk) < bytes_before)) {
            return false;
        }
        bytes_before = bytes_of(*chunk);
    }
    chunks += in_bin;
    return is_marked(heap.filled + level * heap.map_words, bin) == (in_bin != 0);
}

/// The largest chunk that a request would find on that level: in the last bin that holds some, and of a
/// bounded heap among the first ones there. A link that leads astray ends it, and so do more steps than
/// chunks.
size_t largest_found(const malloom_bins& heap, size_t level, size_t most) {
    malloom_bins_links* const lists = heap.lists + level * heap.most_bins;
    unsigned bin = heap.bins;
    while (bin > 1 && ring_of(lists[bin - 1])->next == ring_of(lists[bin - 1])) {
        --bin;
    }
    const Chunk* const ring = ring_of(lists[bin - 1]);
    const Chunk* chunk = ring->next;
    size_t largest = 0;
    const size_t steps = most < heap.most_steps ? most : heap.most_steps;
    for (size_t step = 0; step < steps && chunk != ring; ++step) {
        const Region* region = region_of(heap, chunk);
        if (region == nullptr || !agrees(*region, *chunk)) {
            break;
        }
        largest = bytes_of(*chunk) > largest ? bytes_of(*chunk) : largest;
        chunk = chunk->next;
    }
    return largest;
}

}  // namespace

extern "C" {

int malloom_bins_walk(const malloom_bins* heap,
                      int (*visit)(void* context, const void* object, size_t bytes, int is_living),
                      void* context) {
    return visit_chunks(*heap, [=](const Chunk& chunk, size_t bytes) {
        return visit(context, object_in(chunk), bytes - overhead_bytes, (chunk.head & lives) != 0);
    });
}

void malloom_bins_statistics_of(const malloom_bins* heap, malloom_bins_statistics* result) {
    clear_words(result, sizeof *result);
    visit_chunks(*heap, [=](const Chunk& chunk, size_t) {
        const bool is_living = (chunk.head & lives) != 0;
        result->living_objects += is_living;
        result->free_chunks += !is_living;
        return 0;
    });
    size_t largest = 0;
    for (size_t level = 0; level < heap->levels; ++level) {
        const size_t here = largest_found(*heap, level, result->free_chunks);
        largest = here > largest ? here : largest;
    }
    for (const Region* region = heap->regions; region != nullptr; region = region->next) {
        result->region_bytes += distance(region->memory, region->end) + head_bytes;
    }
    result->largest_bytes = largest > overhead_bytes ? largest - overhead_bytes : 0;
    result->free_bytes = heap->free_bytes;
    result->least_free_bytes = heap->least_free_bytes;
    result->failures = heap->failures;
}

malloom_bins_result malloom_bins_check(const malloom_bins* heap) {
    size_t free_chunks = 0;
    size_t free_bytes = 0;
    size_t before_is_living = before_lives;
    const int said = visit_chunks(*heap, [&, heap](const Chunk& chunk, size_t bytes) {
        const bool is_living = (chunk.head & lives) != 0;
        const Region* region = region_of(*heap, &chunk);
        if (&chunk == region->first) {
            before_is_living = before_lives;
        }
        const bool is_right = bytes % heap->granule == 0 && (chunk.head & before_lives) == before_is_living &&
                              (is_living || agrees(*region, chunk));
        before_is_living = is_living ? before_lives : 0;
        free_chunks += !is_living;
        free_bytes += is_living ? 0 : bytes;
        return is_right ? 0 : static_cast<int>(MALLOOM_BINS_DAMAGED);
    });
    size_t listed = 0;
    for (unsigned place = 0; place < unsigned{heap->levels} * heap->bins; ++place) {
        if (!check_bin(*heap, place / heap->bins, place % heap->bins, free_chunks, listed)) {
            return MALLOOM_BINS_DAMAGED;
        }
    }
    const bool is_whole = said == 0 && listed == free_chunks && free_bytes == heap->free_bytes;
    return is_whole ? MALLOOM_BINS_OK : MALLOOM_BINS_DAMAGED;
}

}  // extern "C"
