// The loaded objects of this process: which one an address lies in, and its identity across runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::context {

/// One loaded object. Written once; stays readable for the life of the process, also after a dlclose.
struct Module {
    uint32_t index;           ///< from 0, in order of discovery; never given to another object
    uint32_t build_id_bytes;  ///< 0 where it has none
    uintptr_t base;           ///< first mapped address
    uintptr_t end;            ///< one past the last mapped address
    uintptr_t bias;           ///< what the loader added to the addresses in the file
    uint64_t hash;            ///< formats::module_hash of the build-id, else of the file name without folders
    const unsigned char* build_id;  ///< a copy that stays
    const char* path;  ///< absolute where the loader knew it; of the program itself too; a copy that stays
};

/// The object that `address` lies in, or null (generated code, for one). Any thread, signal handlers too;
/// never allocates through malloc. May be stale by one dlclose where another object was loaded at the same
/// place.
const Module* find_module(uintptr_t address);

/// Every module found so far: indices 0 to count - 1. Null beyond.
uint32_t module_count();
const Module* module_at(uint32_t index);

}  // namespace malloom::context
