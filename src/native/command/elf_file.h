// The few facts of an ELF file that decide whether a preloaded library reaches its heap, as
// src/malloom/launch/elf_file.py has them.
#pragma once

#include <optional>
#include <string>

namespace malloom::command {

struct ElfFile {
    bool is_reachable =
        false;  ///< of this machine, linked dynamically with glibc, without an allocator or a sanitizer
};

/// None for what is no ELF file of 64 bits, is damaged, or cannot be read. Never more lenient than Python's
/// reader.
std::optional<ElfFile> read_elf(const std::string& path);

}  // namespace malloom::command
