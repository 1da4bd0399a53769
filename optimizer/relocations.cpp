#include "optimizer/relocations.h"

#include <elf.h>

namespace malloom::optimizer {

namespace {

constexpr size_t longest_name = 16;  // of the functions that are asked for

template <class Value>
bool read(app_pc address, Value& value) {
    size_t got;
    return dr_safe_read(address, sizeof value, &value, &got) && got == sizeof value;
}

struct Table {
    app_pc start;
    size_t bytes;
};

/// What the dynamic section says; addresses in this process.
struct Dynamic {
    Table relocations;
    Table jump_slots;
    app_pc symbols;
    app_pc names;
};

// The loader may or may not have added the load bias to the section's addresses.
app_pc placed(const module_data_t* module, app_pc bias, uint64_t address) {
    auto* const as_is = reinterpret_cast<app_pc>(address);
    return as_is >= module->start && as_is < module->end ? as_is : bias + static_cast<ptr_uint_t>(address);
}

void take_entry(Dynamic& dynamic, const Elf64_Dyn& entry, app_pc address) {
    switch (entry.d_tag) {
        case DT_RELA:
            dynamic.relocations.start = address;
            break;
        case DT_RELASZ:
            dynamic.relocations.bytes = entry.d_un.d_val;
            break;
        case DT_JMPREL:
            dynamic.jump_slots.start = address;
            break;
        case DT_PLTRELSZ:
            dynamic.jump_slots.bytes = entry.d_un.d_val;
            break;
        case DT_SYMTAB:
            dynamic.symbols = address;
            break;
        case DT_STRTAB:
            dynamic.names = address;
            break;
        default:
            break;
    }
}

Dynamic read_dynamic(const module_data_t* module, app_pc bias, app_pc section) {
    Dynamic dynamic = {};
    Elf64_Dyn entry;
    for (; read(section, entry) && entry.d_tag != DT_NULL; section += sizeof entry) {
        take_entry(dynamic, entry, placed(module, bias, entry.d_un.d_val));
    }
    return dynamic;
}

// The address of the dynamic section relative to the load bias; 0: none.
uint64_t dynamic_section(const module_data_t* module) {
    Elf64_Ehdr header;
    if (!read(module->start, header)) return 0;
    app_pc at = module->start + header.e_phoff;
    Elf64_Phdr segment;
    for (unsigned i = 0; i < header.e_phnum && read(at, segment); ++i, at += header.e_phentsize) {
        if (segment.p_type == PT_DYNAMIC) return segment.p_vaddr;
    }
    return 0;
}

struct Visit {
    const Dynamic* dynamic;
    app_pc bias;
    BoundWord found;
    void* context;
};

void visit_entry(const Visit& visit, const Elf64_Rela& entry) {
    const auto type = ELF64_R_TYPE(entry.r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) return;
    Elf64_Sym symbol;
    char name[longest_name + 1] = "";
    size_t got;
    if (!read(visit.dynamic->symbols + ELF64_R_SYM(entry.r_info) * sizeof symbol, symbol)) return;
    dr_safe_read(visit.dynamic->names + symbol.st_name, longest_name, name, &got);
    visit.found(visit.context, visit.bias + entry.r_offset, name);
}

void visit_table(const Visit& visit, const Table& table) {
    Elf64_Rela entries[32];
    for (size_t at = 0; at < table.bytes; at += sizeof entries) {
        const size_t rest = table.bytes - at;
        const size_t bytes = rest < sizeof entries ? rest : sizeof entries;
        size_t got;
        if (!dr_safe_read(table.start + at, bytes, entries, &got) || got != bytes) return;
        for (size_t i = 0; i < bytes / sizeof *entries; ++i) visit_entry(visit, entries[i]);
    }
}

}  // namespace

void for_each_bound_word(const module_data_t* module, BoundWord found, void* context) {
    const uint64_t section = dynamic_section(module);
    if (section == 0) return;
    app_pc const bias = module->start - reinterpret_cast<ptr_uint_t>(module->preferred_base);
    const Dynamic dynamic = read_dynamic(module, bias, bias + section);
    if (dynamic.symbols == nullptr || dynamic.names == nullptr) return;
    const Visit visit = {&dynamic, bias, found, context};
    visit_table(visit, dynamic.relocations);
    visit_table(visit, dynamic.jump_slots);
}

}  // namespace malloom::optimizer
