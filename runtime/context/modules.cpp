#include "runtime/context/modules.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>

#include "formats/context_hash.h"
#include "runtime/context/loaded_object.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/system_calls.h"

namespace malloom::context {
namespace {

// Filled from the front, a slot for good, without locks: whoever loses the race for a slot looks again.
std::atomic<const Module*> modules[max_modules];
std::atomic<uint32_t> replacements;

// Where addresses that were asked for lately lie: the address above the module's index, 0 for nothing. Asking
// the loader takes a hundred times as long, and the frames of contexts are the same ones again and again.
constexpr size_t remembered_places = 2048;
constexpr unsigned index_bits = 12;
static_assert(max_modules == 1U << index_bits);
std::atomic<uint64_t> remembered[remembered_places];

std::atomic<uint64_t>& remembered_place(uintptr_t address) {
    return remembered[address * 0x9e3779b97f4a7c15ULL >> 32 & (remembered_places - 1)];
}

const Module* remembered_module(uintptr_t address) {
    const uint64_t word = remembered_place(address).load(std::memory_order_acquire);
    return word != 0 && word >> index_bits == address ? module_at(word & (max_modules - 1)) : nullptr;
}

void remember(uintptr_t address, const Module& module) {
    if (address >> (64 - index_bits) == 0) {
        remembered_place(address).store(address << index_bits | module.index, std::memory_order_release);
    }
}

void forget_all() {
    for (std::atomic<uint64_t>& place : remembered) {
        place.store(0, std::memory_order_relaxed);
    }
}

// Memory of the records and what they point to. Given out, never taken back.
constexpr size_t arena_bytes = size_t{4} << 20;
std::atomic<unsigned char*> arena;
std::atomic<size_t> arena_used;

unsigned char* arena_start() {
    unsigned char* start = arena.load(std::memory_order_acquire);
    if (start != nullptr) {
        return start;
    }
    const int saved = errno;
    auto* mapped = static_cast<unsigned char*>(platform::reserve_pages(arena_bytes, platform::page_bytes()));
    errno = saved;
    if (mapped == nullptr) {
        return nullptr;
    }
    if (arena.compare_exchange_strong(start, mapped, std::memory_order_acq_rel)) {
        return mapped;
    }
    platform::unmap_pages(mapped, arena_bytes);
    return start;
}

unsigned char* take(size_t bytes) {
    unsigned char* start = arena_start();
    const size_t rounded = platform::round_up(bytes, alignof(Module));
    if (start == nullptr || arena_used.load(std::memory_order_relaxed) + rounded > arena_bytes) {
        return nullptr;
    }
    const size_t place = arena_used.fetch_add(rounded, std::memory_order_relaxed);
    return place + rounded <= arena_bytes ? start + place : nullptr;
}

// The loader leaves the program's own path empty. `room` holds PATH_MAX bytes.
const char* path_of(const LoadedObject& object, char* room) {
    if (object.path[0] != 0) {
        return object.path;
    }
    const int saved = errno;
    const ssize_t bytes = platform::may_call() ? readlink("/proc/self/exe", room, PATH_MAX - 1) : 0;
    errno = saved;
    room[bytes > 0 ? bytes : 0] = 0;
    return room;
}

uint64_t identity_hash(const LoadedObject& object, const char* path) {
    if (object.build_id_bytes != 0) {
        return formats::module_hash(object.build_id, object.build_id_bytes);
    }
    const char* slash = strrchr(path, '/');
    const char* name = slash != nullptr ? slash + 1 : path;
    return formats::module_hash(reinterpret_cast<const unsigned char*>(name), strlen(name));
}

Module* make_record(const LoadedObject& object) {
    char room[PATH_MAX];
    const char* path = path_of(object, room);
    const size_t path_bytes = strlen(path) + 1;
    unsigned char* memory = take(sizeof(Module) + object.build_id_bytes + path_bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    unsigned char* build_id = memory + sizeof(Module);
    unsigned char* path_copy = build_id + object.build_id_bytes;
    if (object.build_id_bytes != 0) {
        memcpy(build_id, object.build_id, object.build_id_bytes);
    }
    memcpy(path_copy, path, path_bytes);
    auto* module = reinterpret_cast<Module*>(memory);
    *module = {
        0,           object.build_id_bytes,       object.base, object.end,
        object.bias, identity_hash(object, path), build_id,    reinterpret_cast<const char*>(path_copy)};
    return module;
}

bool is_same(const Module& module, const LoadedObject& object) {
    if (module.base != object.base || module.end != object.end || module.bias != object.bias) {
        return false;
    }
    if (module.build_id_bytes != object.build_id_bytes) {
        return false;
    }
    if (object.build_id_bytes != 0) {
        return memcmp(module.build_id, object.build_id, object.build_id_bytes) == 0;
    }
    return object.path[0] == 0 || strcmp(module.path, object.path) == 0;
}

bool overlaps(const Module& module, const LoadedObject& object) {
    return module.base < object.end && object.base < module.end;
}

}  // namespace

const Module* register_module(const LoadedObject& object) {
    Module* record = nullptr;
    bool replaces = false;
    for (uint32_t i = 0; i < max_modules; ++i) {
        const Module* known = modules[i].load(std::memory_order_acquire);
        if (known == nullptr) {
            if (record == nullptr) {
                record = make_record(object);
            }
            if (record == nullptr) {
                return nullptr;
            }
            record->index = i;
            if (modules[i].compare_exchange_strong(known, record, std::memory_order_acq_rel)) {
                if (replaces) {
                    forget_all();
                    replacements.fetch_add(1, std::memory_order_release);
                }
                return record;
            }
        }
        if (is_same(*known, object)) {
            return known;
        }
        replaces = replaces || overlaps(*known, object);
    }
    return nullptr;
}

const Module* module_of_caller(uintptr_t return_address) {
    if (const Module* module = remembered_module(return_address)) {
        return module;
    }
    const Module* module = find_module(return_address);
    if (module != nullptr) {
        remember(return_address, *module);
    }
    return module;
}

uint64_t program_hash() {
    const Module* program = find_module(getauxval(AT_ENTRY));
    return program != nullptr ? program->hash : 0;
}

const Module* find_module(uintptr_t address) {
    LoadedObject object;
    if (find_loaded_object(address, object)) {
        return register_module(object);
    }
    for (uint32_t i = module_count(); i > 0; --i) {
        const Module* module = module_at(i - 1);
        if (address >= module->base && address < module->end) {
            return module;
        }
    }
    return nullptr;
}

uint32_t module_count() {
    uint32_t count = 0;
    while (count < max_modules && modules[count].load(std::memory_order_acquire) != nullptr) {
        ++count;
    }
    return count;
}

const Module* module_at(uint32_t index) {
    return index < max_modules ? modules[index].load(std::memory_order_acquire) : nullptr;
}

uint32_t module_replacements() {
    return replacements.load(std::memory_order_acquire);
}

uint64_t stable_hash(const uintptr_t* frames, unsigned count) {
    uint64_t hash = formats::context_seed;
    for (unsigned i = 0; i < count; ++i) {
        const Module* module = find_module(frames[i]);
        const uint64_t frame = module != nullptr ? formats::frame_hash(module->hash, frames[i] - module->bias)
                                                 : formats::frame_hash(0, 0);
        hash = formats::fold_frame(hash, frame);
    }
    return hash;
}

}  // namespace malloom::context
