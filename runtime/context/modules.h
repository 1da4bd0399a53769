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
    const char* path;  ///< as the loader knew it, the program's own from the kernel; a copy that stays
};

struct LoadedObject;

/// The most modules that are told apart; further ones are not known at all.
inline constexpr uint32_t max_modules = 4096;

/// The object that `address` lies in now, else the last one that did, else null (generated code, for one).
/// Any thread, signal handlers too; allocates nothing through malloc; keeps errno. Asks the loader each time
/// (about 100 ns), so for new contexts, not for each request.
const Module* find_module(uintptr_t address);

/// find_module for the frames of contexts, remembered. Where an object took another's place, an address that
/// was remembered is the old one's until an object new to malloom is found there; two such frames are one
/// context anyway.
const Module* module_of_caller(uintptr_t return_address);

/// Module::hash of the executable (PlanHeader::program); 0 where it is not known. As find_module.
uint64_t program_hash();

/// The module that this object is, made known where it is new; null where max_modules are.
const Module* register_module(const LoadedObject& object);

/// Every module found so far: indices 0 to count - 1. Null beyond.
uint32_t module_count();
const Module* module_at(uint32_t index);

/// How many modules were found where an older one had been. What somebody concluded from an address before
/// this grew may be about another object.
uint32_t module_replacements();

/// The identity of a call chain that survives restarts, ASLR and other hosts: folds `count` return addresses,
/// innermost first, as formats/context_hash.h says. A frame in no module counts as module 0, offset 0: its
/// address says nothing in another run. Safe wherever find_module is.
uint64_t stable_hash(const uintptr_t* frames, unsigned count);

}  // namespace malloom::context
