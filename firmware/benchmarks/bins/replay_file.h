// The file that `replay` is given: settings, then a list of operations to time, then one to learn from, all
// in words of 32 bits. src/malloom/bench/bins/operations.py writes it.
#pragma once

#include <stdint.h>

#include "firmware/board.h"

namespace malloom::bench::bins {

enum class Allocator : uint32_t {
    paper,
    shipped,
    compiled_in,
    tlsf,
    o1heap,
    newlib,
    picolibc,
    quick,
    fixed,
    pointed,
    paper_walked,
    paper_sampled
};
enum class Function : uint32_t { compiled_in, branching, branchless, byte_table, generated };
enum class Ranges : uint32_t { original, octaves, given };

enum : uint32_t { shows_bins = 1, shows_steps = 2 };
enum class Walk : uint32_t { none, free_chunks, all_chunks };

/// The words at the begin. Sizes are bytes.
struct ReplayHeader {
    static constexpr uint32_t right_magic = 0x4c4f424d;  ///< "MBOL"
    static constexpr uint32_t right_version = 4;

    uint32_t magic;
    uint32_t version;
    uint32_t judged;   ///< operations that are timed
    uint32_t learned;  ///< operations that follow those; they are done before each rehash
    uint32_t slots;
    uint32_t heap_bytes;
    Allocator allocator;
    Ranges ranges;  ///< before the first rehash
    Function first_function;
    Function function;  ///< after each rehash
    uint32_t rehash;    ///< malloom_bins_ranges
    uint32_t options;   ///< of malloom_bins_settings
    uint32_t most_steps;
    uint32_t bins;
    uint32_t runs;
    uint32_t rehashes;
    uint32_t shows;
    uint32_t code_offset;  ///< less than 4096
    uint32_t automatic;    ///< 1: rehash is automatic, with the ranges and the function of one that is called
    uint32_t quick_bytes;  ///< of requests that quick lists may serve, with Allocator::quick
    uint32_t quick_each;   ///< objects of a size that they keep
    uint32_t rehash_bins;  ///< after each rehash; 0 for as many as at first
    uint32_t one_in;       ///< of so many objects that are given back one is counted; 0: as the options say
    Walk walk;             ///< what is counted when a rehash begins
    uint32_t rehash_at;    ///< operations of those to learn from that are done before the rehash
    uint32_t worth_for;    ///< objects given back for which a rehash has to pay; 0: it need not
};

/// An object is allocated into a slot, or where it has no bytes, the one there is released.
struct Operation {
    uint32_t word;
    uint32_t slot() const { return word >> 17; }
    uint32_t bytes() const { return word & 0x1ffff; }
};

struct OperationList {
    const Operation* first;
    uint32_t count;
    const Operation* begin() const { return first; }
    const Operation* end() const { return first + count; }
};

struct ReplayFile {
    const ReplayHeader* header;
    OperationList judged;
    OperationList learned;  ///< may be empty
};

/// Without a header where the data is no such file.
inline ReplayFile replay_file(const board_range& data) {
    const auto* header = reinterpret_cast<const ReplayHeader*>(data.begin);
    if (data.bytes < sizeof(ReplayHeader) || header->magic != ReplayHeader::right_magic ||
        header->version != ReplayHeader::right_version) {
        return {};
    }
    const size_t operations = (data.bytes - sizeof(ReplayHeader)) / sizeof(Operation);
    if (header->judged > operations || header->learned != operations - header->judged ||
        header->rehash_at > header->learned) {
        return {};
    }
    const auto* first = reinterpret_cast<const Operation*>(header + 1);
    return {header, {first, header->judged}, {first + header->judged, header->learned}};
}

}  // namespace malloom::bench::bins
