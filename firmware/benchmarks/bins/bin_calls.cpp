// Calls a bin function for many sizes, hot or with the instruction cache flushed before each call (Lhuillier
// and Courousse, figure 5). Prints the cycles of all calls, and of the same loop without them.
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

    uint32_t count() const { return random != 0 ? random : limit / 8; }

    /// Calls `each` with one size after the other; all that it returns, added.
    template <class Each>
    [[gnu::noinline]] uint32_t sum(Each each) const {
        uint32_t all = 0;
        uint32_t state = first_random;
        for (uint32_t number = 0; number < count(); ++number) {
            if (random == 0) {
                all += each(number * 8);
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

/// What is here is done, but costs nothing more than a register that is taken.
uint32_t taken(uint32_t size) {
    __asm__ volatile("" : "+r"(size));
    return size;
}

struct Calls {
    uint32_t sum;
    uint64_t cycles;
    uint64_t without;  ///< of the same loop that calls nothing
};

Calls hot(const Sizes& sizes, malloom_bin_function function, const malloom_bins* heap) {
    const auto call = [function, heap](uint32_t size) { return function(size, heap); };
    Calls found = {sizes.sum(call), 0, 0};  // from now on all is in the caches that finds room there
    uint32_t begin = board_cycles();
    const uint32_t sum = sizes.sum(call);
    found.cycles = board_cycles() - begin;
    begin = board_cycles();
    sizes.sum(taken);
    found.without = board_cycles() - begin;
    found.sum = sum == found.sum ? sum : 0;  // which no other function's is: that is noticed
    return found;
}

template <class Each>
uint64_t flushed_cycles(const Sizes& sizes, Each each) {
    uint64_t cycles = 0;
    sizes.sum([&cycles, each](uint32_t size) {
        board_flush_instruction_cache(nullptr, 0);
        const uint32_t begin = board_cycles();
        const uint32_t bin = each(size);
        cycles += board_cycles() - begin;
        return bin;
    });
    return cycles;
}

Calls flushed(const Sizes& sizes, malloom_bin_function function, const malloom_bins* heap) {
    const auto call = [function, heap](uint32_t size) { return function(size, heap); };
    return {sizes.sum(call), flushed_cycles(sizes, call), flushed_cycles(sizes, taken)};
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
    if (data.bytes != sizeof *file || file->settings.magic != ReplayHeader::right_magic ||
        file->settings.version != ReplayHeader::right_version) {
        return 1;
    }
    BoardMemory memory(board_memory());
    BinReplay bins(file->settings);
    if (bins.open(memory) != MALLOOM_BINS_OK) {
        return 2;
    }
    const functions::ByteTable table(bins.ranges());
    bins.use(table);
    const Sizes sizes = {file->limit, file->random};
    const malloom_bins& heap = bins.heap();
    const Calls found =
        file->flushes != 0 ? flushed(sizes, heap.function, &heap) : hot(sizes, heap.function, &heap);
    write_field("calls", sizes.count());
    write_field("cycles", found.cycles);
    write_field("without", found.without);
    write_field("sum", found.sum);
    write_field("rehash", bins.rehash_cycles());
    write_generation(bins.ranges(), memory);
    end_line();
    return 0;
}
