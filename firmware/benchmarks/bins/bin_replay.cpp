#include "firmware/benchmarks/bins/bin_replay.h"

#include "runtime/heaps/bins/chunk.h"
#include "runtime/heaps/bins/options.h"

namespace malloom::bench::bins {

namespace {

namespace functions = codegen::bins;

constexpr uintptr_t cache_bytes = 4096;  ///< of the simulated core's instructions

functions::BinRanges ranges_of(const malloom_bins* heap) {
    return {heap->begins, nullptr, nullptr, heap->bins};
}

unsigned branching(size_t bytes, const malloom_bins* heap) {
    return functions::branching_search(ranges_of(heap), bytes);
}

unsigned in_byte_table(size_t bytes, const malloom_bins* heap) {
    return reinterpret_cast<const Instance*>(heap)->table->bin(bytes);
}

unsigned of_octaves(size_t bytes, const malloom_bins* heap) {
    return functions::octave_bin(bytes, heap->bins);
}

/// Whether somebody asks for the begins of the bins, or counts.
bool has_table(const ReplayHeader& header) {
    constexpr uint32_t counting =
        MALLOOM_BINS_COUNT_INSERTIONS | MALLOOM_BINS_COUNT_EXTRACTIONS | MALLOOM_BINS_COUNT_STEPS;
    return header.rehashes != 0 || header.automatic != 0 || header.one_in != 0 || header.shows != 0 ||
           (header.options & counting) != 0 || header.first_function != Function::compiled_in;
}

/// As malloom_bins_count_chunks, but of free chunks alone.
int count_free(void* context, const void*, size_t bytes, int is_living) {
    auto& heap = *static_cast<malloom_bins*>(context);
    heap.counts[heap.function(bytes + heaps::bins::overhead_bytes, &heap)] += is_living == 0 ? 1 : 0;
    return 0;
}

void flush(void*, unsigned char* code, size_t bytes) {
    board_flush_instruction_cache(code, bytes);
}

}  // namespace

// Not inline: in main, which is compiled to be small, it would be a call of memset.
BinReplay::BinReplay(const ReplayHeader& header, const uint32_t* begins)
    : header_(header), given_begins_(begins), uses_table_(header.first_function == Function::byte_table) {}

malloom_bin_function BinReplay::function_of(Function function) const {
    switch (function) {
        case Function::compiled_in:
            return header_.ranges == Ranges::octaves ? of_octaves : malloom_bins_original;
        case Function::branching:
            return branching;
        case Function::branchless:
        case Function::byte_table:  // until there is one
        case Function::generated:
            break;
    }
    return malloom_bins_variable;
}

malloom_bins_result BinReplay::open(BoardMemory& memory) {
    // In the same order for all heaps: what is used often lies in the same lines of the data cache then.
    instance_ = reinterpret_cast<Instance*>(memory.take(sizeof(Instance)));
    storage_bytes_ =
        has_table(header_) ? MALLOOM_BINS_STORAGE(header_.bins, 1) : MALLOOM_BINS_LISTS(header_.bins, 1);
    uint8_t* const storage = memory.take(storage_bytes_);
    auto* const begins = reinterpret_cast<uint32_t*>(memory.take(header_.bins * sizeof(uint32_t)));
    region_ = memory.take(header_.heap_bytes);
    uint8_t* const code = memory.take(4 * cache_bytes);
    automatic_storage_ = memory.take(MALLOOM_BINS_AUTOMATIC_STORAGE(header_.bins));
    if (instance_ == nullptr || automatic_storage_ == nullptr || code == nullptr || storage == nullptr ||
        begins == nullptr || region_ == nullptr) {
        return MALLOOM_BINS_NO_MEMORY;
    }
    // Functions end where a half does: both at the same lines of the cache, the last ones where that is
    // asked.
    const uintptr_t aligned = (reinterpret_cast<uintptr_t>(code) + cache_bytes - 1) & ~(cache_bytes - 1);
    code_.memory = reinterpret_cast<uint8_t*>(aligned) + header_.code_offset;
    code_.bytes = 2 * cache_bytes;
    code_.end_write = flush;
    malloom_bins_settings settings = {};
    if (header_.ranges == Ranges::octaves) {
        functions::octave_begins(begins, header_.bins);
        settings.begins = begins;
    } else if (header_.ranges == Ranges::given) {
        settings.begins = given_begins_;
    }
    settings.bins = header_.bins;
    settings.function = function_of(header_.first_function);
    settings.options = header_.options;
    settings.most_steps = header_.most_steps;
    settings.storage = storage;
    settings.storage_bytes = storage_bytes_;
    malloom_bins_result result = malloom_bins_open(&instance_->heap, &settings);
    if (result == MALLOOM_BINS_OK) {
        result = malloom_bins_add_region(&instance_->heap, region_, header_.heap_bytes, 0);
    }
    if (result == MALLOOM_BINS_OK && header_.first_function == Function::generated) {
        result = rehash(MALLOOM_BINS_AS_THEY_ARE, Function::generated);
    }
    if (result == MALLOOM_BINS_OK && header_.one_in != 0) {
        result = malloom_bins_count_one_in(&instance_->heap, header_.one_in);
    }
    return result;
}

malloom_bins_result BinReplay::rehash_automatically() {
    if (!is_automatic()) {
        return MALLOOM_BINS_OK;
    }
    malloom_bins_automatic_settings settings = {};
    settings.ranges = static_cast<malloom_bins_ranges>(header_.rehash);
    settings.code = header_.function == Function::generated ? &code_ : nullptr;
    settings.storage = automatic_storage_;
    settings.storage_bytes = MALLOOM_BINS_AUTOMATIC_STORAGE(header_.bins);
    return malloom_bins_rehash_automatically(&instance_->heap, &settings);
}

malloom_bins_result BinReplay::open_quick_lists(BoardMemory& memory) {
    const size_t bytes = MALLOOM_BINS_QUICK_STORAGE(header_.quick_bytes, instance_->heap.granule);
    quick_bytes_ = sizeof(malloom_bins_quick) + bytes;
    return malloom_bins_quick_open(&instance_->quick, &instance_->heap, header_.quick_bytes,
                                   header_.quick_each, memory.take(bytes), bytes);
}

void BinReplay::use(const functions::ByteTable& table) {
    instance_->table = &table;
    if (uses_table_) {
        instance_->heap.function = in_byte_table;
        heaps::bins::choose_calls(instance_->heap);
    }
}

size_t BinReplay::generated_bytes() const {
    const auto begin = reinterpret_cast<uintptr_t>(instance_->heap.function);
    const auto first = reinterpret_cast<uintptr_t>(code_.memory);
    return cache_bytes - (begin - first) % cache_bytes;  // each half is as large as the cache
}

malloom_bins_result BinReplay::lay_out(malloom_bins_ranges ranges, const malloom_bins_code* code) {
    malloom_bins* const heap = &instance_->heap;
    const unsigned bins = ranges == MALLOOM_BINS_AS_THEY_ARE ? 0 : header_.rehash_bins;
    if (header_.walk == Walk::all_chunks) {
        malloom_bins_count_chunks(heap);
    } else if (header_.walk == Walk::free_chunks) {
        malloom_bins_walk(heap, count_free, heap);
    }
    return header_.worth_for != 0 ? malloom_bins_rehash_if_worth(heap, header_.worth_for, bins, ranges, code)
                                  : malloom_bins_rehash_into(heap, bins, ranges, code);
}

malloom_bins_result BinReplay::rehash(malloom_bins_ranges ranges, Function function) {
    const bool generates = function == Function::generated;
    const uint32_t begin = board_cycles();
    const malloom_bins_result result = lay_out(ranges, generates ? &code_ : nullptr);
    rehash_cycles_ = board_cycles() - begin;
    code_bytes_ = generates && instance_->heap.function != malloom_bins_original ? 2 * generated_bytes() : 0;
    uses_table_ = function == Function::byte_table;
    if (!generates) {
        // What is compiled in is right for the ranges that it came with only; the search is for all.
        const bool has_moved = ranges != MALLOOM_BINS_AS_THEY_ARE;
        instance_->heap.function =
            function_of(has_moved && function == Function::compiled_in ? Function::branchless : function);
        heaps::bins::choose_calls(instance_->heap);
    }
    return result;
}

}  // namespace malloom::bench::bins
