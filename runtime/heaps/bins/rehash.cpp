// Bins laid out anew by what was counted in them, and their function as machine code (Lhuillier and
// Courousse, 2.4).
#include "runtime/heaps/bins/rehash.h"

#include "checks/check.h"
#include "runtime/codegen/bins/bin_code.h"
#include "runtime/heaps/bins/bin_heap.h"
#include "runtime/heaps/bins/redistribution.h"

namespace malloom::heaps::bins {

namespace {

/// Larger than all chunks.
uint32_t end_of_sizes(const malloom_bins& heap, const uint32_t* begins) {
    size_t largest = size_t{2} * begins[heap.bins - 1];
    for (const Region* region = heap.regions; region != nullptr; region = region->next) {
        largest = room_of(*region) > largest ? room_of(*region) : largest;
    }
    return largest < UINT32_MAX / 2 ? static_cast<uint32_t>(largest) : UINT32_MAX / 2;
}

/// Of the largest free chunk, what lies behind its links; null where that is too little.
uint32_t* scratch_of(malloom_bins& heap) {
    for (size_t level = 0; level < heap.levels; ++level) {
        Chunk* last = FreeLists(heap, level).last();
        if (last != nullptr && bytes_of(*last) >= sizeof(Chunk) + heap.most_bins * sizeof(uint32_t)) {
            return reinterpret_cast<uint32_t*>(last + 1);
        }
    }
    return nullptr;
}

/// New begins in the place of the old ones; `bins` is 0 where nothing was counted.
malloom_bins_result redistribute(malloom_bins& heap, malloom_bins_ranges ranges, unsigned wanted,
                                 unsigned& bins) {
    uint32_t* scratch = scratch_of(heap);
    if (scratch == nullptr) {
        return MALLOOM_BINS_NO_MEMORY;
    }
    const unsigned found = new_begins(heap, heap.begins, ranges, wanted, scratch);
    for (unsigned bin = 0; bin < found; ++bin) {
        own_begins(heap)[bin] = scratch[bin];
    }
    bins = found;
    return MALLOOM_BINS_OK;
}

size_t half_of(const malloom_bins_code& code) {
    return code.bytes / 2 & ~size_t{3};
}

/// Whether calls through pointers arrive at a certain instruction only. On RISC-V and Thumb-2 it takes a
/// cycle of each call, and who compiles for it says so; elsewhere it costs nothing that can be seen.
#if (defined(__riscv) && !defined(__riscv_zicfilp)) || \
    (defined(__arm__) && !defined(__ARM_FEATURE_BTI_DEFAULT))
constexpr bool has_landing_pad = false;
#else
constexpr bool has_landing_pad = true;
#endif

/// So much of the room that code which ends there ends within a line of the instruction cache, of 32 bytes or
/// more: cores fetch beyond a return, and what follows the line would be a line that nothing needs.
size_t bytes_within_line(const unsigned char* room, size_t bytes) {
    constexpr uintptr_t line = 32;
    const uintptr_t end = reinterpret_cast<uintptr_t>(room) + bytes;
    const size_t behind = (end - line / 2) % line;
    return bytes > behind ? bytes - behind : 0;
}

/// The half that is not in use.
unsigned char* free_half(const malloom_bins& heap, const malloom_bins_code& code) {
    const uintptr_t runs_at =
        reinterpret_cast<uintptr_t>(code.memory) + static_cast<uintptr_t>(code.elsewhere);
    const uintptr_t in_use = reinterpret_cast<uintptr_t>(heap.function) - runs_at;
    return in_use < half_of(code) ? code.memory + half_of(code) : code.memory;
}

/// Whether a call says so many bins, of a heap that has a table.
malloom_bins_result problem_of(const malloom_bins& heap, unsigned bins, malloom_bins_ranges ranges) {
    if (heap.counts == nullptr || !has_ranges(ranges) ||
        (ranges == MALLOOM_BINS_AS_THEY_ARE && bins != 0 && bins != heap.bins)) {
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    return bins > heap.most_bins ? MALLOOM_BINS_TOO_SMALL : MALLOOM_BINS_OK;
}

void go_on_with(malloom_bins& heap, malloom_bin_function function, const malloom_bins_code* code) {
    const bool has_changed = function != heap.function;
    heap.function = function;
    choose_calls(heap);
    if (has_changed && code != nullptr && code->wait_for_others != nullptr) {
        code->wait_for_others(code->context);
    }
}

/// look_at_lists, in its place: who asks for links alone does not pay for the sums.
[[gnu::always_inline]] inline bool walk_lists(malloom_bins& heap, ListUse& use) {
    const bool checks = has(heap, MALLOOM_BINS_CHECKED_LINKS);
    for (size_t level = 0; level < heap.levels; ++level) {
        FreeLists lists(heap, level);
        for (unsigned bin = lists.next_filled(0); bin != no_bin; bin = lists.next_filled(bin + 1)) {
            const Chunk* const ring = lists.ring(bin);
            size_t last = 0;
            uint32_t smaller = 0;
            uint32_t before = 0;
            for (const Chunk* chunk = ring->next; chunk != ring; chunk = chunk->next) {
                if (checks && !is_linked(heap, *chunk)) {
                    return false;
                }
                smaller = chunk->head != last ? before : smaller;  // a search ends at the first of its size
                last = chunk->head;
                use.steps = sum_of(use.steps, smaller);
                ++before;
            }
            use.chunks += before;
        }
    }
    return true;
}

/// Not in its place: a rehash would take more stack.
[[gnu::noinline]] bool are_linked(malloom_bins& heap) {
    ListUse unused;
    return walk_lists(heap, unused);
}

malloom_bins_result lay_out_anew(malloom_bins& heap, unsigned wanted, malloom_bins_ranges ranges,
                                 const malloom_bins_code* code) {
    if (has(heap, MALLOOM_BINS_CHECKED_LINKS) && !are_linked(heap)) {
        return MALLOOM_BINS_DAMAGED;
    }
    const bool stay = ranges == MALLOOM_BINS_AS_THEY_ARE;
    unsigned bins = 0;  // they stay too where nothing was counted
    const malloom_bins_result moved = stay ? MALLOOM_BINS_OK : redistribute(heap, ranges, wanted, bins);
    if (moved != MALLOOM_BINS_OK) {
        return moved;
    }
    malloom_bin_function function = bins != 0 ? malloom_bins_variable : heap.function;
    // What was counted weighs the comparisons of ranges that do not all have as much of it.
    const bool is_uneven = stay || (has_ranges(MALLOOM_BINS_BY_OCTAVE) && ranges == MALLOOM_BINS_BY_OCTAVE);
    const codegen::bins::BinRanges found = {heap.begins, nullptr, is_uneven ? heap.counts : nullptr,
                                            bins != 0 ? bins : heap.bins};
    const malloom_bins_result result = generate(heap, found, code, function);
    bins != 0 ? adopt(heap, function, bins, code) : go_on_with(heap, function, code);
    return result;
}

/// Whether a rehash saves more than it takes while so many objects are given back.
bool is_worth(malloom_bins& heap, uint32_t releases, malloom_bins_ranges ranges,
              const malloom_bins_code* code) {
    ListUse use;
    if (!look_at_lists(heap, use)) {
        return true;  // which finds out what is wrong
    }
    const uint32_t steps = ranges != MALLOOM_BINS_AS_THEY_ARE ? use.steps_for(releases) : 0;
    const uint32_t before = sum_of(steps, product_of(releases, steps_of(heap.function)));
    const uint32_t after = product_of(releases, steps_of_new(code));
    return before > sum_of(after, price_of(heap, code, use.chunks));
}

bool has_counted(const malloom_bins& heap) {
    uint32_t any = 0;
    for (unsigned bin = 0; bin < heap.bins; ++bin) {
        any |= heap.counts[bin];
    }
    return any != 0;
}

/// Each chunk, living or free, in the bin of its size.
malloom_bins_result count_chunks(malloom_bins& heap) {
    const auto count = [](void* context, const void*, size_t bytes, int) {
        malloom_bins& counted = *static_cast<malloom_bins*>(context);
        add_to(counted.counts[counted.function(bytes + overhead_bytes, &counted)], 1);
        return 0;
    };
    return malloom_bins_walk(&heap, count, &heap) == 0 ? MALLOOM_BINS_OK : MALLOOM_BINS_DAMAGED;
}

/// Whether a rehash is worth it, and has something to go by; or what is wrong.
bool is_to_be_done(malloom_bins& heap, uint32_t releases, unsigned bins, malloom_bins_ranges ranges,
                   const malloom_bins_code* code, malloom_bins_result& problem) {
    BinHeap<ShippedPolicy> call(heap);
    const bool is_bounded = has(heap, MALLOOM_BINS_BOUNDED);
    problem = is_bounded ? MALLOOM_BINS_BAD_ARGUMENT : problem_of(heap, bins, ranges);
    bool is_done = problem == MALLOOM_BINS_OK && is_worth(heap, releases, ranges, code);
    if (is_done && !has_counted(heap)) {
        problem = count_chunks(heap);
        is_done = problem == MALLOOM_BINS_OK;
    }
    if (problem != MALLOOM_BINS_OK) {
        call.fail(problem, 0);
    }
    return is_done;
}

/// Counts each sampled object, where calls do not know how.
void count_sampled(malloom_bins* heap, const Chunk* chunk) {
    count_release<ShippedPolicy>(*heap, *chunk);
}

/// Where the owner asks for what can be, the heap counts by these options, or one release in so many.
malloom_bins_result count_from_now_on(malloom_bins& heap, bool is_right, unsigned options, unsigned sampled) {
    BinHeap<ShippedPolicy> call(heap);
    const bool is_automatic = has(heap, samples_releases) && heap.sampled == 0;
    if (heap.counts == nullptr || !is_right || is_automatic) {
        call.fail(MALLOOM_BINS_BAD_ARGUMENT, options);
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    heap.sampled = static_cast<uint8_t>(sampled);
    heap.sample_release = count_sampled;
    heap.releases_left = uint32_t{1} << sampled;
    set_options(heap, (heap.options & ~(counting | samples_releases)) | options);
    forget_counts(heap);
    return MALLOOM_BINS_OK;
}

}  // namespace

uint32_t* own_begins(const malloom_bins& heap) {
    return const_cast<uint32_t*>(heap.begins);
}

bool is_valid(const malloom_bins& heap) noexcept {
    if (heap.bins == 0 || heap.bins > heap.most_bins || heap.most_bins > MALLOOM_BINS_MOST ||
        (heap.begins != nullptr && heap.begins[0] != 0)) {
        return false;
    }
    for (unsigned bin = 1; heap.begins != nullptr && bin < heap.bins; ++bin) {
        if (heap.begins[bin - 1] >= heap.begins[bin]) {
            return false;
        }
    }
    return malloom_bins_check(&heap) == MALLOOM_BINS_OK;
}

bool look_at_lists(malloom_bins& heap, ListUse& use) {
    return walk_lists(heap, use);
}

unsigned new_begins(const malloom_bins& heap, const uint32_t* begins, malloom_bins_ranges ranges,
                    unsigned wanted, uint32_t* result) {
    const CountedBins old = {begins, heap.counts, heap.bins, end_of_sizes(heap, begins),
                             static_cast<uint32_t>(heap.granule)};
    if (has_ranges(MALLOOM_BINS_LINEAR) && ranges == MALLOOM_BINS_LINEAR) {
        return redistribute_linearly(old, wanted, result);
    }
    if (has_ranges(MALLOOM_BINS_BY_COST) && ranges == MALLOOM_BINS_BY_COST) {
        return redistribute_by_cost(old, heap.counts, wanted, result);
    }
    if (has_ranges(MALLOOM_BINS_BY_OCTAVE) && ranges == MALLOOM_BINS_BY_OCTAVE) {
        return redistribute_by_octave(old, heap.counts, wanted, result);
    }
    return has_ranges(MALLOOM_BINS_SMOOTH) ? redistribute_smoothly(old, wanted, result) : 0;
}

malloom_bins_result generate(const malloom_bins& heap, const codegen::bins::BinRanges& ranges,
                             const malloom_bins_code* code, malloom_bin_function& function) {
    if (code == nullptr || codegen::bins::own_instruction_set() == nullptr) {
        return MALLOOM_BINS_OK;
    }
    unsigned char* const half = free_half(heap, *code);
    const size_t bytes = half_of(*code);
    if (code->begin_write != nullptr) {
        code->begin_write(code->context, half, bytes);
    }
    const codegen::bins::GeneratedCode made =
        codegen::bins::generate(ranges, *codegen::bins::own_instruction_set(), heap.counts, half,
                                bytes_within_line(half, bytes), has_landing_pad);
    if (code->end_write != nullptr) {
        code->end_write(code->context, half, bytes);
    }
    if (made.begin == nullptr) {
        return MALLOOM_BINS_TOO_SMALL;
    }
    const codegen::bins::BinFunction found = codegen::bins::function_at(made.begin + code->elsewhere);
    if (!codegen::bins::is_right(found, ranges)) {
        return MALLOOM_BINS_DAMAGED;
    }
    // It takes no notice of the instance.
    function = reinterpret_cast<malloom_bin_function>(reinterpret_cast<uintptr_t>(found));
    return MALLOOM_BINS_OK;
}

void adopt(malloom_bins& heap, malloom_bin_function function, unsigned bins, const malloom_bins_code* code) {
    MALLOOM_CHECK_FULL(bins != 0 && bins <= heap.most_bins);
    const uint16_t former_bins = heap.bins;
    for (size_t level = 0; level < heap.levels; ++level) {
        FreeLists lists(heap, level);
        heap.bins = former_bins;
        Chunk* chunk = lists.take_all();
        heap.bins = static_cast<uint16_t>(bins);
        lists.clear();
        while (chunk != nullptr) {
            // The largest comes first: each one is the smallest of its list so far.
            Chunk* const smaller = chunk->previous;
            const unsigned bin = function(bytes_of(*chunk), &heap);
            lists.link(*chunk, *lists.ring(bin)->next, bin);
            chunk = smaller;
        }
    }
    go_on_with(heap, function, code);
}

void forget_counts(malloom_bins& heap) {
    for (unsigned bin = 0; bin < heap.most_bins; ++bin) {
        heap.counts[bin] = 0;
    }
}

}  // namespace malloom::heaps::bins

using namespace malloom::heaps::bins;

extern "C" {

malloom_bins_result malloom_bins_rehash_into(malloom_bins* heap, unsigned int bins,
                                             malloom_bins_ranges ranges, const malloom_bins_code* code) {
    BinHeap<ShippedPolicy> call(*heap);
#if defined(MALLOOM_CHECKED)
    // A heap that the program has written into is no fault of ours.
    const bool was_whole = malloom_bins_check(heap) == MALLOOM_BINS_OK;
#endif
    malloom_bins_result result = problem_of(*heap, bins, ranges);
    if (result == MALLOOM_BINS_OK) {
        result = lay_out_anew(*heap, bins != 0 ? bins : heap->most_bins, ranges, code);
        forget_counts(*heap);
        if (may_be_automatic && heap->automatic != nullptr && heap->automatic->phase == MALLOOM_BINS_JUDGES) {
            heap->automatic->phase = MALLOOM_BINS_SLEEPS;  // what it judges is no more
        }
    }
#if defined(MALLOOM_CHECKED)
    MALLOOM_CHECK_FULL(!was_whole || is_valid(*heap));
#endif
    if (result != MALLOOM_BINS_OK) {
        call.fail(result, 0);
    }
    return result;
}

malloom_bins_result malloom_bins_rehash(malloom_bins* heap, malloom_bins_ranges ranges,
                                        const malloom_bins_code* code) {
    return malloom_bins_rehash_into(heap, 0, ranges, code);
}

malloom_bins_result malloom_bins_rehash_if_worth(malloom_bins* heap, unsigned int releases, unsigned int bins,
                                                 malloom_bins_ranges ranges, const malloom_bins_code* code) {
    malloom_bins_result problem = MALLOOM_BINS_OK;
    return is_to_be_done(*heap, releases, bins, ranges, code, problem)
               ? malloom_bins_rehash_into(heap, bins, ranges, code)
               : problem;
}

malloom_bins_result malloom_bins_count(malloom_bins* heap, unsigned int counts) {
    return count_from_now_on(*heap, (counts & ~counting) == 0, counts, 0);
}

malloom_bins_result malloom_bins_count_one_in(malloom_bins* heap, unsigned int distance) {
    unsigned bits = 0;
    while (bits < 16 && 1U << bits < distance) {
        ++bits;
    }
    const bool can_be = distance == 0 || (distance == 1U << bits && bits >= 1 && bits <= 15);
    return count_from_now_on(*heap, may_be_automatic && can_be, distance != 0 ? samples_releases : 0, bits);
}

malloom_bins_result malloom_bins_count_chunks(malloom_bins* heap) {
    BinHeap<ShippedPolicy> call(*heap);
    const malloom_bins_result result =
        heap->counts != nullptr ? count_chunks(*heap) : MALLOOM_BINS_BAD_ARGUMENT;
    if (result != MALLOOM_BINS_OK) {
        call.fail(result, 0);
    }
    return result;
}

}  // extern "C"
