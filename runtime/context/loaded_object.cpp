#include "runtime/context/loaded_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

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

// All that is mapped of the object, whatever holes lie between its segments.
void set_bounds(const ProgramHeaders& headers, LoadedObject& object) {
    object.base = UINTPTR_MAX;
    object.end = 0;
    for (size_t i = 0; i < headers.count; ++i) {
        const ElfW(Phdr)& header = headers.first[i];
        if (header.p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t start = object.bias + header.p_vaddr;
        if (start < object.base) {
            object.base = start;
        }
        if (start + header.p_memsz > object.end) {
            object.end = start + header.p_memsz;
        }
    }
}

bool holds(const LoadedObject& object, uintptr_t address) {
    return address >= object.base && address < object.end;
}

struct Search {
    uintptr_t address;
    LoadedObject* object;
};

int visit(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const ProgramHeaders headers = {info->dlpi_phdr, info->dlpi_phnum};
    LoadedObject object;
    object.bias = info->dlpi_addr;
    set_bounds(headers, object);
    if (!holds(object, search.address)) {
        return 0;
    }
    object.path = info->dlpi_name;
    read_headers(headers, object);
    *search.object = object;
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

uintptr_t page_of(uintptr_t address) {
    return address & ~uintptr_t{4095};
}

ProgramHeaders headers_of_program() {
    const auto* first = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    return {first, first != nullptr ? getauxval(AT_PHNUM) : 0};
}

// Of an object whose segments have holes between them the loader tells the segment that `address` lies in.
// The headers then lie where the first segment does: at the bias, or where the kernel says that the program's
// are.
ProgramHeaders headers_apart(uintptr_t address, const dl_find_object& found) {
    dl_find_object first;
    const link_map* map = found.dlfo_link_map;
    ProgramHeaders headers = {nullptr, 0};
    if (_dl_find_object(reinterpret_cast<void*>(map->l_addr), &first) == 0 && first.dlfo_link_map == map) {
        headers = mapped_headers(map->l_addr);
    } else if (map->l_addr == 0) {
        headers = headers_of_program();
    }
    LoadedObject object;
    object.bias = map->l_addr;
    set_bounds(headers, object);
    return holds(object, address) ? headers : ProgramHeaders{nullptr, 0};
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
    ProgramHeaders headers = mapped_headers(page_of(object.base));
    if (headers.first == nullptr) {
        headers = headers_apart(address, found);
    }
    if (headers.first != nullptr) {
        set_bounds(headers, object);
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
