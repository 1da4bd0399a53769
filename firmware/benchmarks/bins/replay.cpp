// Replays a list of operations into a heap and times the calls alone: run after run, with a rehash between
// (Lhuillier and Courousse, section 4.4). Prints a line for each run.
#include "firmware/benchmarks/bins/bin_replay.h"
#include "firmware/benchmarks/bins/lines.h"
#include "firmware/benchmarks/bins/peers.h"
#include "firmware/benchmarks/bins/policies.h"
#include "firmware/benchmarks/bins/timed_calls.h"

using namespace malloom::bench::bins;
using malloom::codegen::bins::ByteTable;

namespace {

enum Status { ended_well, bad_file, no_memory, wrong_object, rehash_failed };

template <class Policy>
struct PaperHeap {
    malloom_bins* heap;
    void* allocate(size_t bytes) const { return malloom::bench::bins::allocate<Policy>(heap, bytes); }
    void release(void* object) const { malloom::bench::bins::release<Policy, false>(heap, object); }
};

struct ShippedHeap {
    malloom_bins* heap;
    void* allocate(size_t bytes) const { return malloom_bins_alloc(heap, bytes); }
    void release(void* object) const { malloom_bins_free(heap, object); }
};

/// The shipped heap behind quick lists.
struct QuickHeap {
    malloom_bins* heap;
    malloom_bins_quick* lists() const { return &reinterpret_cast<Instance*>(heap)->quick; }
    void* allocate(size_t bytes) const { return malloom_bins_quick_alloc(lists(), bytes); }
    void release(void* object) const { malloom_bins_quick_free(lists(), object); }
};

struct CompiledInHeap {
    malloom_bins* heap;
    void* allocate(size_t bytes) const {
        return malloom::bench::bins::allocate<malloom::heaps::bins::OriginalPolicy>(heap, bytes);
    }
    void release(void* object) const {
        malloom::bench::bins::release<malloom::heaps::bins::OriginalPolicy, true>(heap, object);
    }
};

struct PointerHeap {
    malloom_bins* heap;
    void* allocate(size_t bytes) const { return malloom::bench::bins::allocate<PointerPolicy>(heap, bytes); }
    void release(void* object) const { malloom::bench::bins::release<PointerPolicy, true>(heap, object); }
};

/// A copy of the instance, at an address that the calls know.
malloom_bins fixed_instance;

[[gnu::noinline]] void* allocate_fixed(size_t bytes) {
    const bool may_be = malloom::heaps::bins::calls_of(fixed_instance) != malloom::heaps::bins::general_calls;
    return may_be ? malloom::heaps::bins::make<malloom::heaps::bins::OriginalPolicy>(fixed_instance, bytes)
                  : nullptr;
}
[[gnu::noinline]] void release_fixed(void* object) {
    if (malloom::heaps::bins::calls_of(fixed_instance) != malloom::heaps::bins::general_calls) [[likely]] {
        malloom::heaps::bins::release<malloom::heaps::bins::OriginalPolicy, false>(fixed_instance, object);
    }
}

struct FixedHeap {
    malloom_bins* heap;
    void* allocate(size_t bytes) const { return allocate_fixed(bytes); }
    void release(void* object) const { release_fixed(object); }
};

void write_times(uint32_t run, const RunTimes& times, const uint8_t* region) {
    write_field("run", run);
    write_field("cycles", times.cycles);
    write_field("worst_allocation", times.worst_allocation);
    write_field("worst_release", times.worst_release);
    write_field("pairs", times.allocations);
    write_field("failures", times.failures);
    write_field("held", times.highest > region ? static_cast<size_t>(times.highest - region) : 0);
}

void clear_counts(malloom_bins& heap) {
    for (unsigned bin = 0; heap.counts != nullptr && bin < heap.most_bins; ++bin) {
        heap.counts[bin] = 0;
    }
}

/// The runs of a bin heap.
template <class Heap>
class BinRuns {
  public:
    BinRuns(const ReplayFile& file, BinReplay& bins, void** slots)
        : file_(file), bins_(bins), slots_(slots), clock_(cycles_of_clock()) {}

    Status all() {
        Status status = ended_well;
        for (uint32_t run = 0; run < file_.header->runs && status == ended_well; ++run) {
            status = one(run);
        }
        return status;
    }

  private:
    /// Also makes the byte table of the ranges as they are now, which belongs to what a rehash takes.
    Status one(uint32_t run) {
        const uint32_t begin = board_cycles();
        const ByteTable table(bins_.ranges());
        const uint32_t making_table = board_cycles() - begin;
        bins_.use(table);
        const Heap heap = {&bins_.heap()};
        if (run == 0 && !is_right(heap, file_.judged, slots_)) {
            return wrong_object;
        }
        if (run == 0 && bins_.rehash_automatically() != MALLOOM_BINS_OK) {
            return rehash_failed;
        }
        if (!bins_.is_automatic()) {
            clear_counts(bins_.heap());
        }
        write_times(run, timed(heap, file_.judged, slots_, clock_), bins_.region());
        write_field("rehash",
                    run == 0 ? bins_.rehash_cycles() : bins_.rehash_cycles() + of_table(making_table));
        write_field("tables", bins_.table_bytes());
        write_field("bins", bins_.heap().bins);
        write_field("automatic_rehashes", bins_.is_automatic() ? bins_.heap().automatic->rehashes : 0);
        if ((file_.header->shows & shows_steps) != 0) {
            write_field("steps", steps(heap));
        }
        end_line();
        if ((file_.header->shows & shows_bins) != 0) {
            write_bins(run);
        }
        return run < file_.header->rehashes ? rehash(heap) : ended_well;
    }

    uint32_t of_table(uint32_t making) const {
        return file_.header->function == Function::byte_table ? making : 0;
    }

    Status rehash(const Heap& heap) {
        const uint32_t before = file_.header->rehash_at;
        if (file_.learned.count != 0) {
            clear_counts(bins_.heap());
            timed(heap, {file_.learned.first, before}, slots_, clock_);
        }
        const auto ranges = static_cast<malloom_bins_ranges>(file_.header->rehash);
        const malloom_bins_result result = bins_.rehash(ranges, file_.header->function);
        timed(heap, {file_.learned.first + before, file_.learned.count - before}, slots_, clock_);
        return result == MALLOOM_BINS_OK ? ended_well : rehash_failed;
    }

    /// Of the same calls once more, counted in the place of what the run has counted.
    uint32_t steps(const Heap& heap) {
        malloom_bins& bins = bins_.heap();
        uint32_t* const counts = bins.counts;
        const uint8_t options = bins.options;
        uint32_t counted[MALLOOM_BINS_MOST];
        bins.counts = counted;
        clear_counts(bins);
        bins.options = static_cast<uint8_t>((options & MALLOOM_BINS_BOUNDED) | MALLOOM_BINS_COUNT_STEPS);
        timed(heap, file_.judged, slots_, clock_);
        bins.counts = counts;
        bins.options = options;
        uint32_t sum = 0;
        for (unsigned bin = 0; bin < bins.bins; ++bin) {
            sum += counted[bin];
        }
        return sum;
    }

    void write_bins(uint32_t run) {
        const malloom_bins& heap = bins_.heap();
        for (unsigned bin = 0; bin < heap.bins; ++bin) {
            write_field("bin_of_run", run);
            write_field("begin", heap.begins[bin]);
            write_field("count", heap.counts[bin]);
            end_line();
        }
    }

    const ReplayFile& file_;
    BinReplay& bins_;
    void** slots_;
    uint32_t clock_;
};

template <class Heap>
Status replay_bins(const ReplayFile& file, BoardMemory& memory, void** slots) {
    BinReplay bins(*file.header);
    if (bins.open(memory) != MALLOOM_BINS_OK) {
        return no_memory;
    }
    if (file.header->allocator == Allocator::quick && bins.open_quick_lists(memory) != MALLOOM_BINS_OK) {
        return no_memory;
    }
    if (file.header->allocator == Allocator::fixed) {
        malloom::heaps::bins::copy_words(&fixed_instance, &bins.heap(), sizeof fixed_instance);
    }
    return BinRuns<Heap>(file, bins, slots).all();
}

/// Of an allocator that learns nothing: the runs alone.
template <class Heap>
[[maybe_unused]] Status replay_peer(const ReplayFile& file, BoardMemory& memory, void** slots) {
    uint8_t* const region = memory.take(file.header->heap_bytes);
    if (region == nullptr) {
        return no_memory;
    }
    const Heap heap = Heap::open(region, file.header->heap_bytes);
    if (heap.heap == nullptr) {
        return no_memory;
    }
    if (!is_right(heap, file.judged, slots)) {
        return wrong_object;
    }
    const uint32_t clock = cycles_of_clock();
    for (uint32_t run = 0; run < file.header->runs; ++run) {
        write_times(run, timed(heap, file.judged, slots, clock), region);
        write_field("tables", Heap::table_bytes);
        end_line();
    }
    return ended_well;
}

Status replay(const ReplayFile& file) {
    BoardMemory memory(board_memory());
    auto** const slots = reinterpret_cast<void**>(memory.take(file.header->slots * sizeof(void*)));
    if (slots == nullptr) {
        return no_memory;
    }
    for (uint32_t slot = 0; slot < file.header->slots; ++slot) {
        slots[slot] = nullptr;
    }
    switch (file.header->allocator) {
        case Allocator::paper:
            return replay_bins<PaperHeap<ScanningPolicy>>(file, memory, slots);
        case Allocator::shipped:
            return replay_bins<ShippedHeap>(file, memory, slots);
        case Allocator::compiled_in:
            return replay_bins<CompiledInHeap>(file, memory, slots);
        case Allocator::quick:
            return replay_bins<QuickHeap>(file, memory, slots);
        case Allocator::fixed:
            return replay_bins<FixedHeap>(file, memory, slots);
        case Allocator::pointed:
            return replay_bins<PointerHeap>(file, memory, slots);
        case Allocator::paper_walked:
            return replay_bins<PaperHeap<WalkedScanningPolicy>>(file, memory, slots);
        case Allocator::paper_sampled:
            return replay_bins<PaperHeap<SampledScanningPolicy>>(file, memory, slots);
#if defined(MALLOOM_TLSF)
        case Allocator::tlsf:
            return replay_peer<TlsfHeap>(file, memory, slots);
#endif
#if defined(MALLOOM_O1HEAP)
        case Allocator::o1heap:
            return replay_peer<O1Heap>(file, memory, slots);
#endif
#if defined(MALLOOM_NEWLIB)
        case Allocator::newlib:
            return replay_peer<NewlibHeap>(file, memory, slots);
#endif
#if defined(MALLOOM_PICOLIBC)
        case Allocator::picolibc:
            return replay_peer<PicolibcHeap>(file, memory, slots);
#endif
        default:
            break;
    }
    return bad_file;
}

}  // namespace

int main() {
    const ReplayFile file = replay_file(board_data());
    return file.header == nullptr ? bad_file : replay(file);
}
