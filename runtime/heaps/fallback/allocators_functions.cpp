#include "runtime/heaps/fallback/allocators_functions.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

namespace malloom::heaps {

namespace {

// mimalloc's, jemalloc's, gperftools' and snmalloc's; of jemalloc's without a prefix, a part of the name.
constexpr const char* prefixes[] = {"mi_", "je_", "tc_", "sn_", "MallocExtension_"};
constexpr const char* parts[] = {"allocx", "mallctl"};

bool is_allocators(const char* name) {
    for (const char* prefix : prefixes) {
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    for (const char* part : parts) {
        if (strstr(name, part) != nullptr) {
            return true;
        }
    }
    return false;
}

// What a loaded object's dynamic section says of its symbols. The hash table says where those begin that it
// defines; those that it refers to lie before them.
struct Symbols {
    const ElfW(Sym) * table = nullptr;
    const char* names = nullptr;
    uint32_t undefined_end = 0;
};

Symbols symbols_of(const dl_phdr_info& object) {
    Symbols found;
    for (const ElfW(Phdr)* header = object.dlpi_phdr; header != object.dlpi_phdr + object.dlpi_phnum;
         ++header) {
        if (header->p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header->p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // The loader has made addresses of them, but not where it may not write.
            const uintptr_t value = entry->d_un.d_ptr;
            const uintptr_t address = value < object.dlpi_addr ? object.dlpi_addr + value : value;
            if (entry->d_tag == DT_SYMTAB) {
                found.table = reinterpret_cast<const ElfW(Sym)*>(address);
            } else if (entry->d_tag == DT_STRTAB) {
                found.names = reinterpret_cast<const char*>(address);
            } else if (entry->d_tag == DT_GNU_HASH) {
                found.undefined_end = reinterpret_cast<const uint32_t*>(address)[1];
            }
        }
    }
    return found;
}

bool has(const dl_phdr_info& object, uintptr_t address) {
    for (const ElfW(Phdr)* header = object.dlpi_phdr; header != object.dlpi_phdr + object.dlpi_phnum;
         ++header) {
        if (header->p_type == PT_LOAD && address - (object.dlpi_addr + header->p_vaddr) < header->p_memsz) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool are_allocators_functions_used(const void* allocators) {
    const auto refers = [](dl_phdr_info* object, size_t, void* of_allocator) {
        if (has(*object, reinterpret_cast<uintptr_t>(of_allocator))) {
            return 0;
        }
        const Symbols symbols = symbols_of(*object);
        if (symbols.table == nullptr || symbols.names == nullptr) {
            return 0;
        }
        for (uint32_t at = 1; at < symbols.undefined_end; ++at) {
            if (is_allocators(symbols.names + symbols.table[at].st_name)) {
                return 1;
            }
        }
        return 0;
    };
    return dl_iterate_phdr(refers, const_cast<void*>(allocators)) != 0;
}

}  // namespace malloom::heaps
