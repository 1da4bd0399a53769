#include "runtime/context/loaded_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// Weak, so that the library loads where the C library is older than this one.
extern "C" int _dl_find_object(void*, dl_find_object*) noexcept __attribute__((weak));
#endif

namespace malloom::context {
namespace {

struct ProgramHeaders {
    const ElfW(Phdr) * first;
    size_t count;
};

bool covers(const ElfW(Phdr) & load, uintptr_t address, size_t bytes) {
    return load.p_type == PT_LOAD && (load.p_flags & PF_R) != 0 && address >= load.p_vaddr &&
           address - load.p_vaddr <= load.p_filesz && bytes <= load.p_filesz - (address - load.p_vaddr);
}

// The readable segment that holds all of [address, address + bytes), addresses as in the file. Only what came
// from the file: it holds every table.
const ElfW(Phdr) * readable_segment(const ProgramHeaders& headers, uintptr_t address, size_t bytes) {
    for (size_t i = 0; i < headers.count; ++i) {
        if (covers(headers.first[i], address, bytes)) {
            return &headers.first[i];
        }
    }
    return nullptr;
}

uint64_t round_note(uint64_t bytes, uint64_t alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

void read_notes(const ElfW(Phdr) & notes, LoadedObject& object) {
    const auto* start = reinterpret_cast<const unsigned char*>(object.bias + notes.p_vaddr);
    const uint64_t alignment = notes.p_align == 8 ? 8 : 4;
    uint64_t place = 0;
    while (place + sizeof(ElfW(Nhdr)) <= notes.p_filesz) {
        ElfW(Nhdr) note;
        memcpy(&note, start + place, sizeof(note));
        const uint64_t description = place + round_note(sizeof(note) + note.n_namesz, alignment);
        const uint64_t next = description + round_note(note.n_descsz, alignment);
        if (description + note.n_descsz > notes.p_filesz) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(start + place + sizeof(note), "GNU", 4) == 0) {
            object.build_id = start + description;
            object.build_id_bytes = note.n_descsz;
            return;
        }
        place = next;
    }
}

void read_unwind_header(const ElfW(Phdr) & header, const ElfW(Phdr) & segment, LoadedObject& object) {
    const uintptr_t start = object.bias + segment.p_vaddr;
    object.unwind.segment = {reinterpret_cast<const unsigned char*>(start), segment.p_filesz, start};
    object.unwind.header = object.bias + header.p_vaddr;
}

void read_headers(const ProgramHeaders& headers, LoadedObject& object) {
    for (size_t i = 0; i < headers.count; ++i) {
        const ElfW(Phdr)& header = headers.first[i];
        if (header.p_type != PT_NOTE && header.p_type != PT_GNU_EH_FRAME) {
            continue;
        }
        const ElfW(Phdr)* segment = readable_segment(headers, header.p_vaddr, header.p_filesz);
        if (segment == nullptr) {
            continue;
        }
        if (header.p_type == PT_GNU_EH_FRAME) {
            read_unwind_header(header, *segment, object);
        }
        if (header.p_type == PT_NOTE && object.build_id == nullptr) {
            read_notes(header, object);
        }
    }
}

struct Search {
    uintptr_t address;
    LoadedObject* object;
};

int visit(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    uintptr_t base = UINTPTR_MAX;
    uintptr_t end = 0;
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t start = info->dlpi_addr + header.p_vaddr;
        if (start < base) {
            base = start;
        }
        if (start + header.p_memsz > end) {
            end = start + header.p_memsz;
        }
    }
    if (search.address < base || search.address >= end) {
        return 0;
    }
    *search.object = {base, end, info->dlpi_addr, info->dlpi_name, nullptr, 0, {}};
    read_headers({info->dlpi_phdr, info->dlpi_phnum}, *search.object);
    return 1;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// The loader maps the ELF header with the first segment; the program headers follow it, in the same page
// unless somebody's tool moved them, and then the object stays without tables.
ProgramHeaders mapped_headers(uintptr_t base) {
    constexpr size_t smallest_page = 4096;
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return {nullptr, 0};
    }
    if (header->e_phentsize != sizeof(ElfW(Phdr))) {
        return {nullptr, 0};
    }
    if (header->e_phoff > smallest_page ||
        header->e_phnum * sizeof(ElfW(Phdr)) > smallest_page - header->e_phoff) {
        return {nullptr, 0};
    }
    return {reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff), header->e_phnum};
}

bool find_without_lock(uintptr_t address, LoadedObject& object) {
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) {
        return false;
    }
    object = {};
    object.base = reinterpret_cast<uintptr_t>(found.dlfo_map_start);
    object.end = reinterpret_cast<uintptr_t>(found.dlfo_map_end);
    object.bias = found.dlfo_link_map->l_addr;
    object.path = found.dlfo_link_map->l_name;
    const ProgramHeaders headers = mapped_headers(object.base & ~uintptr_t{4095});
    if (headers.first != nullptr) {
        read_headers(headers, object);
    }
    return true;
}
#endif

}  // namespace

bool find_loaded_object_by_iteration(uintptr_t address, LoadedObject& object) {
    Search search{address, &object};
    return dl_iterate_phdr(visit, &search) != 0;
}

bool find_loaded_object(uintptr_t address, LoadedObject& object) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    if (_dl_find_object != nullptr) {
        return find_without_lock(address, object);
    }
#endif
    return find_loaded_object_by_iteration(address, object);
}

}  // namespace malloom::context
