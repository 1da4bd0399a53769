#include "firmware/simulated_core/program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <string_view>

#include "firmware/simulated_core/addresses.h"
#include "firmware/simulated_core/failure.h"

namespace malloom::simulated_core {

namespace {

template <typename Header>
Header header_at(std::string_view file, uint64_t offset, const std::string& path) {
    Header header;
    if (offset > file.size() || file.size() - offset < sizeof header) fail(bad_use, path + " is cut off");
    memcpy(&header, file.data() + offset, sizeof header);
    return header;
}

bool is_elf(std::string_view file) {
    return file.starts_with(std::string_view(ELFMAG, SELFMAG));
}

void load_segment(Memory& memory, std::string_view file, const Elf32_Phdr& segment, const std::string& path) {
    if (segment.p_offset > file.size() || segment.p_filesz > file.size() - segment.p_offset) {
        fail(bad_use, path + " is cut off");
    }
    if (!memory.has(segment.p_paddr, segment.p_memsz) ||
        !memory.write(segment.p_paddr, file.substr(segment.p_offset, segment.p_filesz))) {
        fail(bad_use, path + " does not fit into the memory (--memory makes it larger)");
    }
}

uint32_t load_elf(Memory& memory, std::string_view file, const std::string& path) {
    const auto header = header_at<Elf32_Ehdr>(file, 0, path);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_machine != EM_RISCV || header.e_type != ET_EXEC) {
        fail(bad_use, path + " is no program for RV32");
    }
    for (unsigned index = 0; index < header.e_phnum; ++index) {
        const uint64_t offset = uint64_t{header.e_phoff} + uint64_t{index} * header.e_phentsize;
        const auto segment = header_at<Elf32_Phdr>(file, offset, path);
        if (segment.p_type == PT_LOAD && segment.p_memsz != 0) load_segment(memory, file, segment, path);
    }
    return header.e_entry;
}

}  // namespace

std::string read_file(const std::string& path) {
    std::string content;
    FILE* const file = fopen(path.c_str(), "rb");
    if (file == nullptr) fail(bad_use, "cannot read " + path + ": " + strerror(errno));
    char piece[1 << 16];
    size_t bytes = sizeof piece;
    while (bytes == sizeof piece) {
        bytes = fread(piece, 1, sizeof piece, file);
        content.append(piece, bytes);
    }
    if (ferror(file) != 0) fail(bad_use, "cannot read " + path + ": " + strerror(errno));
    fclose(file);
    return content;
}

uint32_t load_program(Memory& memory, const std::string& path) {
    const std::string file = read_file(path);
    if (is_elf(file)) return load_elf(memory, file, path);
    if (!memory.write(CORE_MEMORY, file)) {
        fail(bad_use, path + " does not fit into the memory (--memory makes it larger)");
    }
    return CORE_MEMORY;
}

}  // namespace malloom::simulated_core
