#include "runtime/platform/program_file.h"

#include <elf.h>
#include <string.h>

#include "runtime/platform/input_file.h"

namespace malloom::platform {

namespace {

constexpr unsigned most_headers = 64;
constexpr unsigned most_entries = 1024;
/// Libraries that want the heap, or the first place among the libraries, for themselves.
constexpr const char* sanitizers[] = {"libasan.",         "libtsan.",         "libhwasan.",
                                      "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"};

bool begins_with(const char* text, const char* beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/// An ELF file of 64 bits, read piece by piece. What cannot be read is not there.
class ElfProgram {
  public:
    explicit ElfProgram(const InputFile& file) : file_(file) {}

    bool open() {
        return file_.read(&header_, sizeof header_, 0) && memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
               header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_phentsize == sizeof(Elf64_Phdr);
    }
    bool is_of_musl() const {
        Elf64_Phdr loader;
        char path[256] = {};
        return find(PT_INTERP, loader) && loader.p_filesz < sizeof path &&
               file_.read(path, loader.p_filesz, loader.p_offset) && strstr(path, "/ld-musl-") != nullptr;
    }
    bool has_sanitizer() const {
        uint64_t names = 0;
        if (!has_entry(DT_STRTAB, names) || !to_offset(names)) {
            return false;
        }
        return each_entry([&](const Elf64_Dyn& entry) {
            return entry.d_tag == DT_NEEDED && is_sanitizer(names + entry.d_un.d_val);
        });
    }

  private:
    /// Until `is_it` says so; whether it did.
    template <class IsIt>
    bool each_header(IsIt is_it) const {
        for (unsigned i = 0; i < header_.e_phnum && i < most_headers; ++i) {
            Elf64_Phdr found;
            if (!file_.read(&found, sizeof found, header_.e_phoff + i * sizeof found)) {
                return false;
            }
            if (is_it(found)) {
                return true;
            }
        }
        return false;
    }
    bool find(uint32_t type, Elf64_Phdr& wanted) const {
        return each_header([&](const Elf64_Phdr& each) {
            wanted = each;
            return each.p_type == type;
        });
    }
    template <class IsIt>
    bool each_entry(IsIt is_it) const {
        Elf64_Phdr dynamic;
        if (!find(PT_DYNAMIC, dynamic)) {
            return false;
        }
        for (unsigned i = 0; i < most_entries && (i + 1) * sizeof(Elf64_Dyn) <= dynamic.p_filesz; ++i) {
            Elf64_Dyn entry;
            if (!file_.read(&entry, sizeof entry, dynamic.p_offset + i * sizeof entry) ||
                entry.d_tag == DT_NULL) {
                return false;
            }
            if (is_it(entry)) {
                return true;
            }
        }
        return false;
    }
    bool has_entry(int64_t tag, uint64_t& value) const {
        return each_entry([&](const Elf64_Dyn& entry) {
            value = entry.d_un.d_val;
            return entry.d_tag == tag;
        });
    }
    /// From an address of the program to its place in the file.
    bool to_offset(uint64_t& address) const {
        return each_header([&](const Elf64_Phdr& each) {
            if (each.p_type != PT_LOAD || address - each.p_vaddr >= each.p_filesz) {
                return false;
            }
            address = address - each.p_vaddr + each.p_offset;
            return true;
        });
    }
    bool is_sanitizer(uint64_t place) const {
        char name[24] = {};
        if (!file_.read(name, sizeof name - 1, place)) {
            return false;
        }
        for (const char* sanitizer : sanitizers) {
            if (begins_with(name, sanitizer)) {
                return true;
            }
        }
        return false;
    }

    const InputFile& file_;
    Elf64_Ehdr header_ = {};
};

/// The interpreter that a script names; false where the file is no script.
bool interpreter_of(const InputFile& file, char (&path)[256]) {
    const size_t bytes = file.bytes() < sizeof path - 1 ? file.bytes() : sizeof path - 1;
    if (!file.read(path, bytes, 0) || path[0] != '#' || path[1] != '!') {
        return false;
    }
    path[bytes] = '\0';
    const char* name = path + 2 + strspn(path + 2, " \t");
    const size_t length = strcspn(name, " \t\n");
    memmove(path, name, length);
    path[length] = '\0';
    return length != 0;
}

const char* why_not(const InputFile& file) {
    ElfProgram program(file);
    if (!program.open()) {
        return nullptr;
    }
    return program.is_of_musl()      ? "is linked with musl"
           : program.has_sanitizer() ? "is built with a sanitizer"
                                     : nullptr;
}

}  // namespace

const char* why_not_preloaded(const char* path) {
    InputFile file;
    if (path == nullptr || file.open(path) != nullptr) {
        return nullptr;
    }
    char interpreter[256];
    const bool is_script = interpreter_of(file, interpreter);
    const char* why = is_script ? nullptr : why_not(file);
    file.close();
    if (is_script && file.open(interpreter) == nullptr) {
        why = why_not(file);
        file.close();
    }
    return why;
}

}  // namespace malloom::platform
