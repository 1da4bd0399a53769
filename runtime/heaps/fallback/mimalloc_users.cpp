#include "runtime/heaps/fallback/mimalloc_users.h"

#include <link.h>
#include <mimalloc.h>
#include <stdint.h>
#include <string.h>

#include "runtime/platform/environment.h"

namespace malloom::heaps {

namespace {

bool names_mimalloc(const char* text) {
    return strstr(text, "libmimalloc") != nullptr;
}

bool holds(const dl_phdr_info& object, uintptr_t address) {
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type == PT_LOAD && address - (object.dlpi_addr + part.p_vaddr) < part.p_memsz) {
            return true;
        }
    }
    return false;
}

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& object) {
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC) {
            return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        }
    }
    return nullptr;
}

const char* strings_of(const dl_phdr_info& object, const ElfW(Dyn) * entry) {
    for (; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) {
            // Most loaders put the address there, where the file has an offset.
            const uintptr_t place = entry->d_un.d_ptr;
            return reinterpret_cast<const char*>(place < object.dlpi_addr ? object.dlpi_addr + place : place);
        }
    }
    return nullptr;
}

int is_linked(dl_phdr_info* object, size_t, void*) {
    const ElfW(Dyn)* entry = dynamic_section(*object);
    if (entry == nullptr || holds(*object, reinterpret_cast<uintptr_t>(&is_mimalloc_linked_by_others))) {
        return 0;
    }
    const char* strings = strings_of(*object, entry);
    for (; strings != nullptr && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_NEEDED && names_mimalloc(strings + entry->d_un.d_val)) {
            return 1;
        }
    }
    return 0;
}

struct Search {
    uintptr_t address;
    MimallocBlock found;
};

bool is_elsewhere(const mi_heap_t*, const mi_heap_area_t*, void* block, size_t bytes, void* argument) {
    Search& search = *static_cast<Search*>(argument);
    // Each area comes first, as null.
    if (block == nullptr || search.address - reinterpret_cast<uintptr_t>(block) >= bytes) {
        return true;
    }
    search.found = {block, bytes};
    return false;
}

}  // namespace

bool is_mimalloc_preloaded() {
    const char* preloaded = platform::environment_value("LD_PRELOAD");
    return preloaded != nullptr && names_mimalloc(preloaded);
}

bool is_mimalloc_linked_by_others() {
    return dl_iterate_phdr(is_linked, nullptr) != 0;
}

MimallocBlock find_own_block(const void* address) {
    Search search = {reinterpret_cast<uintptr_t>(address), {}};
    mi_heap_t* own = mi_heap_get_default();
    // What other threads have freed it may still count among the living.
    mi_heap_collect(own, false);
    mi_heap_visit_blocks(own, true, is_elsewhere, &search);
    return search.found;
}

}  // namespace malloom::heaps
