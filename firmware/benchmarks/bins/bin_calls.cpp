// Calls a bin function for many sizes, hot or with the instruction cache flushed before each call (Lhuillier
// and Courousse, figure 5). Prints the cycles of all calls, and of as many calls of a
// function that does nothing.
#include "firmware/benchmarks/bins/bin_replay.h"
#include "firmware/benchmarks/bins/calls_file.h"
#include "firmware/benchmarks/bins/lines.h"
#include "runtime/codegen/bins/bin_code.h"

using namespace malloom::bench::bins;
namespace functions = malloom::codegen::bins;

namespace {

constexpr uint32_t first_random = 2463534242;

struct Sizes {
    uint32_t limit;
    uint32_t random;
    uint32_t step;

    uint32_t count() const { return random != 0 ? random : limit / step; }

    /// Calls `each` with one size after the other; all that it returns, added.
    template <class Each>
    [[gnu::noinline]] uint32_t sum(const Each& each) const {
        uint32_t all = 0;
        uint32_t state = first_random;
        for (uint32_t number = 0; number < count(); ++number) {
            if (random == 0) {
                all += each(number * step);
            } else {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                all += each(state & (limit - 1));
            }
        }
        return all;
    }
};

/// A function that does nothing. It begins a line of the cache, as all do that are aligned as it is.
[[gnu::noinline, gnu::aligned(32)]] unsigned nothing(size_t bytes, const malloom_bins*) {
    __asm__ volatile("" : "+r"(bytes));
    return static_cast<unsigned>(bytes);
}

struct Calls {
    uint32_t sum;
    uint64_t cycles;
};

/// After some calls all is in the caches that finds room there.
Calls hot(const Sizes& sizes, malloom_bin_function function, const malloom_bins* heap) {
    const auto call = [function, heap](uint32_t size) { return function(size, heap); };
    constexpr uint32_t few = 1024;
    Sizes{sizes.limit, sizes.random != 0 ? few : 0, sizes.limit / few * 8}.sum(call);
    const uint32_t begin = board_cycles();
    const uint32_t sum = sizes.sum(call);
    return {sum, board_cycles() - begin};
}

Calls flushed(const Sizes& sizes, malloom_bin_function function, const malloom_bins* heap) {
    uint64_t cycles = 0;
    const uint32_t sum = sizes.sum([&cycles, function, heap](uint32_t size) {
        board_flush_instruction_cache(nullptr, 0);
        const uint32_t begin = board_cycles();
        const uint32_t bin = function(size, heap);
        cycles += board_cycles() - begin;
        return bin;
    });
    return {sum, cycles};
}

/// Of the function's code alone: neither ranges are laid out, nor is it checked.
void write_generation(const functions::BinRanges& ranges, BoardMemory& memory) {
    const size_t room_bytes = size_t{24} * ranges.count + 128;
    uint8_t* const room = memory.take(room_bytes);
    auto* const scratch = reinterpret_cast<uint32_t*>(memory.take(ranges.count * sizeof(uint32_t)));
    if (room == nullptr || scratch == nullptr) {
        return;
    }
    const uint32_t begin = board_cycles();
    const functions::GeneratedCode code =
        functions::generate(ranges, *functions::own_instruction_set(), scratch, room, room_bytes, true);
    const uint32_t cycles = board_cycles() - begin;
    write_field("generation", cycles);
    write_field("code", code.bytes);
}

}  // namespace

int main() {
    const board_range data = board_data();
    const auto* const file = reinterpret_cast<const CallsFile*>(data.begin);
    if (data.bytes < sizeof *file || file->settings.magic != ReplayHeader::right_magic ||
        file->settings.version != ReplayHeader::right_version || data.bytes != file->bytes()) {
        return 1;
    }
    BoardMemory memory(board_memory());
    BinReplay bins(file->settings, file->begins());
    if (bins.open(memory) != MALLOOM_BINS_OK) {
        return 2;
    }
    const functions::ByteTable table(bins.ranges());
    bins.use(table);
    const Sizes sizes = {file->limit, file->random, file->step};
    const malloom_bins& heap = bins.heap();
    const auto measure = file->flushes != 0 ? flushed : hot;
    const Calls found = measure(sizes, heap.function, &heap);
    write_field("calls", sizes.count());
    write_field("cycles", found.cycles);
    write_field("without", measure(sizes, nothing, &heap).cycles);
    write_field("sum", found.sum);
    write_field("rehash", bins.rehash_cycles());
    write_generation(bins.ranges(), memory);
    end_line();
    return 0;
}
