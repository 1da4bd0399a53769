// Asks the loader which object an address lies in.
#pragma once

#include <stdint.h>

#include "runtime/context/unwind_section.h"

namespace malloom::context {

/// A loaded object as it is mapped now. What the pointers reach goes away with a dlclose.
struct LoadedObject {
    uintptr_t base = 0;  ///< first mapped address
    uintptr_t end = 0;   ///< one past the last
    uintptr_t bias = 0;
    const char* path = "";  ///< as the loader says it; "" for the program itself
    const unsigned char* build_id = nullptr;
    uint32_t build_id_bytes = 0;
    UnwindSection unwind;  ///< header 0 where it has no .eh_frame_hdr
};

/// False where no object holds `address`. Takes no lock with glibc 2.35 or later (_dl_find_object); elsewhere
/// dl_iterate_phdr's, which loaders hold only while they edit their list. Allocates nothing.
bool find_loaded_object(uintptr_t address, LoadedObject& object);

/// The second way alone: for tests, and for what lacks the first.
bool find_loaded_object_by_iteration(uintptr_t address, LoadedObject& object);

}  // namespace malloom::context
