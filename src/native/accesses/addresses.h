// Accesses by their addresses as a stream, for readers that do not ask whose object lies there.
#pragma once

#include <stdint.h>

#include <span>

namespace malloom::native {

/// One load or store.
struct AddressedAccess {
    static constexpr uint64_t address_mask = (uint64_t{1} << 48) - 1;
    static constexpr unsigned size_shift = 48;

    uint64_t packed;  ///< bits 0-47 address, 48-51 log2 of the size in bytes, 52 store

    uint64_t address() const { return packed & address_mask; }
    unsigned size() const { return 1u << ((packed >> size_shift) & 15); }
};

/// Yields all accesses in time order, a batch at a time; an empty batch ends the stream. The batch is valid
/// until the next call. Not thread-safe. Memory is bounded and does not grow with the number of accesses.
class AddressSource {
  public:
    virtual ~AddressSource() = default;
    virtual std::span<const AddressedAccess> next_batch() = 0;
};

}  // namespace malloom::native
