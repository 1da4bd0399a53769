// Drops accesses that cannot reach heap objects: those to the thread's stack and to the images of modules. A
// filter only for size and speed: who reads the profile drops whatever reaches no live object.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::accesses {

/// The address ranges of the loaded modules' segments. One per process; guarded by a lock of its own.
void init_module_ranges();
void add_module_range(const module_data_t* module);
void remove_module_range(const module_data_t* module);

/// One thread's view. Not shared between threads.
class AddressFilter {
  public:
    /// To be called by the thread itself, with its stack pointer when it begins.
    void begin_thread(uintptr_t stack_pointer);

    /// To be called before dropped(): forgets what is no longer true.
    void refresh();

    /// Which bases of an execution of a shape cannot reach the heap: bit i stands for base i.
    uint64_t dropped(const stream::AccessShape& shape, const uint64_t* bases);

  private:
    static constexpr unsigned granule_shift = 16;
    static constexpr size_t cache_entries = 4096;
    /// What a granule of addresses holds: memory that may be heap, memory of modules and nothing else, both.
    enum class Granule : uint8_t { unknown, kept, dropped, mixed };

    bool drops(uintptr_t address);
    bool drops_unknown(uintptr_t address, uint64_t& cached);
    Granule classify(uintptr_t number) const;

    uintptr_t stack_low_ = 0;
    uintptr_t stack_bytes_ = 0;
    uint64_t generation_ = 0;
    uint64_t cache_[cache_entries] = {};  // granule's number << 2 | Granule
};

}  // namespace malloom::accesses
