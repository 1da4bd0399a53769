// Addresses for memory that grows in place. A limit of address space (RLIMIT_AS) counts reserved addresses as
// it counts memory, so what may become large must not be reserved. It is claimed: the address space is
// divided into slots, far from where the kernel places mappings, and whoever has a slot has a page at its
// begin that may not be touched. Nothing else of a slot is mapped until it is in use. Others who ask for no
// certain address do not come there; should one, the memory behind it ends there, and nothing is overwritten.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::platform {

/// All zero is a span of no bytes. Not thread-safe. errno is preserved where a call succeeds.
class AddressSpan {
  public:
    /// Claims addresses for so many bytes; where there is no slot, or none so large, reserves them, unless
    /// they are more than a quarter of what the process may have. False where neither can be.
    bool open(size_t bytes);
    /// Gives back what nobody has taken; what was taken goes before, by close_pages and give_back.
    void close();
    /// As close, where memory of it stays, for good: nobody else gets its addresses.
    void leave();

    /// The next bytes of it at a multiple of `alignment`, a power of two; 0 where no more are left.
    uintptr_t take(size_t bytes, size_t alignment);

    /// Makes whole pages readable and writable, which are not so yet; they read as zero. False where there is
    /// no memory, or others are there. For one caller at a time.
    bool open_pages(uintptr_t start, size_t bytes) const;
    /// Gives back pages that were opened, and may be opened again. False, and nothing has changed, of
    /// reserved addresses, which give_back gives back, and where the system does not take them.
    bool close_pages(uintptr_t start, size_t bytes) const;
    /// Whole pages of what was taken, none of which is open, are not used any more.
    void give_back(uintptr_t start, uintptr_t end) const;

    bool is_open() const { return bytes_ != 0; }
    /// Whether addresses were reserved: then close_pages does nothing.
    bool is_reserved() const { return is_reserved_; }

  private:
    bool reserve(size_t bytes);

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    size_t taken_ = 0;
    bool is_reserved_ = false;
};

}  // namespace malloom::platform
