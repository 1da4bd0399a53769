#include "src/native/command/elf_file.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <string_view>
#include <vector>

#include "src/native/command/bytes.h"

namespace malloom::command {

namespace {

#if defined(__x86_64__)
constexpr uint16_t machine_here = EM_X86_64;
constexpr const char* machine_name = "x86_64";
#elif defined(__aarch64__)
constexpr uint16_t machine_here = EM_AARCH64;
constexpr const char* machine_name = "aarch64";
#elif defined(__riscv)
constexpr uint16_t machine_here = EM_RISCV;
constexpr const char* machine_name = "riscv64";
#endif

constexpr std::string_view own_section = ".malloom.command";  // as main.cpp puts it there
constexpr std::string_view allocator_functions[] = {"malloc", "free"};
constexpr std::string_view sanitizers[] = {"libasan.",         "libhwasan.",         "libtsan.",
                                           "libclang_rt.asan", "libclang_rt.hwasan", "libclang_rt.tsan"};

template <size_t count>
bool begins_with_one(std::string_view name, const std::string_view (&beginnings)[count]) {
    for (const std::string_view beginning : beginnings) {
        if (name.starts_with(beginning)) return true;
    }
    return false;
}

/// Reads one file. What a function cannot read makes it false: the file is damaged.
class Reader {
  public:
    explicit Reader(Bytes file) : file_(file) {}

    bool read(ElfFile& found) {
        std::string_view loader;
        bool has_allocator = false;
        bool has_sanitizer = false;
        if (!read_tables() || !read_loader(loader) || !read_names() || !check_notes() ||
            !find_allocator(has_allocator) || !read_libraries(has_sanitizer)) {
            return false;
        }
        const std::string_view name = loader.substr(loader.rfind('/') + 1);
        found.is_reachable = header_.e_machine == machine_here && (!loader.empty() || is_own_command_) &&
                             !name.starts_with("ld-musl-") && !has_allocator && !has_sanitizer;
        return true;
    }

  private:
    bool read_tables() {
        if (!file_.read(0, header_) || memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
            header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB) {
            return false;
        }
        segments_.resize(header_.e_phnum);
        sections_.resize(header_.e_shnum);
        return read_table(segments_, header_.e_phoff, header_.e_phentsize) &&
               read_table(sections_, header_.e_shoff, header_.e_shentsize);
    }

    template <typename Entry>
    bool read_table(std::vector<Entry>& table, uint64_t offset, uint64_t entry_bytes) {
        for (Entry& entry : table) {
            if (!file_.read(offset, entry)) return false;
            offset += entry_bytes;
        }
        return true;
    }

    bool read_loader(std::string_view& loader) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_INTERP) return file_.text(segment.p_offset, loader);
        }
        return true;
    }

    /// What a section's entries are named in, or what sections are; empty where there is none.
    bool string_table(uint64_t index, Bytes& table) const {
        if (index == 0 || index >= sections_.size()) return true;
        table = file_.part(sections_[index].sh_offset, sections_[index].sh_size);
        return table.is_there();
    }

    bool read_names() {
        Bytes names;
        if (!string_table(header_.e_shstrndx, names)) return false;
        std::string_view name;
        for (const Elf64_Shdr& section : sections_) {
            if (names.size() > 0 && !names.text(section.sh_name, name)) return false;
            is_own_command_ = is_own_command_ || name == own_section;
        }
        return true;
    }

    /// Python reads the build-id, and refuses a file whose notes lie outside it.
    bool check_notes() const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type != PT_NOTE) continue;
            const Bytes notes = file_.part(segment.p_offset, segment.p_filesz);
            if (!notes.is_there() || !holds_whole_notes(notes)) return false;
        }
        return true;
    }

    static bool holds_whole_notes(Bytes notes) {
        Elf64_Nhdr note;
        for (uint64_t at = 0; notes.read(at, note);) {
            const uint64_t value = at + sizeof note + rounded(note.n_namesz);
            if (!notes.part(value, note.n_descsz).is_there()) return false;
            at = value + rounded(note.n_descsz);
        }
        return true;
    }

    static uint64_t rounded(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

    bool find_allocator(bool& is_found) const {
        for (const Elf64_Shdr& section : sections_) {
            if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
            Bytes names;
            const Bytes symbols = file_.part(section.sh_offset, section.sh_size);
            if (!symbols.is_there() || !string_table(section.sh_link, names)) return false;
            is_found = is_found || defines_allocator(symbols, names);
        }
        return true;
    }

    static bool defines_allocator(Bytes symbols, Bytes names) {
        Elf64_Sym symbol;
        for (uint64_t at = 0; symbols.read(at, symbol); at += sizeof symbol) {
            const unsigned kind = ELF64_ST_TYPE(symbol.st_info);
            if (symbol.st_shndx == SHN_UNDEF || (kind != STT_FUNC && kind != STT_GNU_IFUNC)) continue;
            for (const std::string_view name : allocator_functions) {
                if (names.holds(symbol.st_name, name)) return true;
            }
        }
        return false;
    }

    bool read_libraries(bool& has_sanitizer) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type != PT_DYNAMIC) continue;
            const Bytes table = file_.part(segment.p_offset, segment.p_filesz);
            if (!table.is_there() || !read_needed(table, has_sanitizer)) return false;
        }
        return true;
    }

    bool read_needed(Bytes table, bool& has_sanitizer) const {
        Elf64_Dyn entry;
        uint64_t names = 0;
        for (uint64_t at = 0; table.read(at, entry) && entry.d_tag != DT_NULL; at += sizeof entry) {
            if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
        }
        for (uint64_t at = 0; table.read(at, entry) && entry.d_tag != DT_NULL; at += sizeof entry) {
            uint64_t offset = 0;
            std::string_view library;
            if (entry.d_tag != DT_NEEDED) continue;
            if (!file_offset(names, offset) || entry.d_un.d_val > file_.size() ||
                !file_.text(offset + entry.d_un.d_val, library)) {
                return false;
            }
            has_sanitizer = has_sanitizer || begins_with_one(library, sanitizers);
        }
        return true;
    }

    bool file_offset(uint64_t address, uint64_t& offset) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz &&
                file_.part(segment.p_offset, segment.p_filesz).is_there()) {
                offset = segment.p_offset + address - segment.p_vaddr;
                return true;
            }
        }
        return false;
    }

    Bytes file_;
    Elf64_Ehdr header_ = {};
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Shdr> sections_;
    bool is_own_command_ = false;
};

bool is_machine_as_built() {
    utsname system;
    return uname(&system) == 0 && strcmp(system.machine, machine_name) == 0;
}

}  // namespace

std::optional<ElfFile> read_elf(const std::string& path) {
    const Mapped file(path.c_str());
    ElfFile found;
    if (!file.bytes().is_there() || !Reader(file.bytes()).read(found)) return std::nullopt;
    found.is_reachable = found.is_reachable && is_machine_as_built();
    return found;
}

}  // namespace malloom::command
