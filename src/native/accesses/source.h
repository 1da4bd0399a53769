// Resolved accesses as a stream, so that whoever consumes them does not know where they come from.
#pragma once

#include <stdint.h>

#include <span>

namespace malloom::native {

/// The position of an access, or the ticket of an event, that does not come.
constexpr uint64_t never = ~uint64_t{0};

/// One load or store that reached an object: which request's object, where in it, how wide.
struct ResolvedAccess {
    static constexpr uint64_t offset_mask = (uint64_t{1} << 48) - 1;
    static constexpr unsigned size_shift = 48;
    static constexpr uint64_t store_bit = uint64_t{1} << 52;

    uint32_t request;  ///< number of the request in time order
    uint32_t weight;   ///< how many accesses this entry stands for; 1 unless annotated
    uint64_t packed;   ///< bits 0-47 offset in bytes, 48-51 log2 of the size in bytes, 52 store

    uint64_t offset() const { return packed & offset_mask; }
    unsigned size() const { return 1u << ((packed >> size_shift) & 15); }
    bool store() const { return (packed & store_bit) != 0; }
};

/// Yields all accesses in time order, a batch at a time; an empty batch ends the stream. The batch is valid
/// until the next call. Not thread-safe. Memory is bounded and does not grow with the number of accesses.
class AccessSource {
  public:
    virtual ~AccessSource() = default;
    virtual std::span<const ResolvedAccess> next_batch() = 0;
};

}  // namespace malloom::native
