#include "src/native/command/program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/native/command/elf_file.h"

namespace malloom::command {

namespace {

constexpr int deepest_script = 4;     // interpreters of interpreters that the kernel follows
constexpr size_t longest_line = 256;  // of a script's first line, what is looked at

bool is_executable(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Empty where the PATH has none.
std::string in_path(const std::string& name) {
    const char* const variable = getenv("PATH");
    const std::string_view folders = variable != nullptr ? variable : "";
    if (folders.empty()) return {};
    for (size_t begin = 0; begin <= folders.size();) {
        const size_t end = std::min(folders.find(':', begin), folders.size());
        // An empty one is the working directory.
        std::string path(folders.substr(begin, end - begin));
        if (!path.empty() && path.back() != '/') path += '/';
        path += name;
        if (is_executable(path)) return path;
        begin = end + 1;
    }
    return {};
}

/// The file that execvp would run; empty where there is none.
std::string find_program(const std::string& name) {
    if (name.find('/') == std::string::npos) return name.empty() ? name : in_path(name);
    return is_executable(name) ? name : std::string();
}

enum class Script { no, yes, odd };

/// The words after #! in a script's first line; none for what is no script. Odd are letters that this leaves
/// to Python to take apart.
Script read_shebang(const std::string& path, std::vector<std::string>& words) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return errno == EACCES ? Script::no : Script::odd;
    char start[longest_line];
    const ssize_t got = read(file, start, sizeof start);
    close(file);
    std::string_view line(start, got > 0 ? static_cast<size_t>(got) : 0);
    if (!line.starts_with("#!")) return Script::no;
    line = line.substr(2, line.find('\n') - 2);
    for (const char letter : line) {
        if (isprint(static_cast<unsigned char>(letter)) == 0 && letter != '\t') return Script::odd;
    }
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    for (auto at = line.begin(); at != line.end();) {
        const auto word = std::find_if_not(at, line.end(), is_blank);
        at = std::find_if(word, line.end(), is_blank);
        if (word != at) words.emplace_back(word, at);
    }
    return words.empty() ? Script::no : Script::yes;
}

/// The program that `env` finds, or the interpreter itself.
std::string interpreter_named(const std::vector<std::string>& words) {
    const std::string_view first = words[0];
    if (first.substr(first.rfind('/') + 1) == "env") {
        for (size_t index = 1; index < words.size(); ++index) {
            if (words[index][0] != '-' && words[index].find('=') == std::string::npos) return words[index];
        }
    }
    return words[0];
}

/// The ELF file behind a script; empty where there is none.
std::string interpreter_of(std::string path) {
    for (int depth = 0; depth < deepest_script && !path.empty(); ++depth) {
        std::vector<std::string> words;
        switch (read_shebang(path, words)) {
            case Script::no:
                return path;
            case Script::odd:
                return {};
            case Script::yes:
                path = find_program(interpreter_named(words));
        }
    }
    return {};
}

bool gains_privileges(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) != 0 || (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
           getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::optional<Program> find_reachable(const std::string& name) {
    const std::string path = find_program(name);
    const std::string binary = interpreter_of(path);
    if (binary.empty() || gains_privileges(binary)) return std::nullopt;
    // What may be executed but not read is run without a look at it.
    if (access(binary.c_str(), R_OK) != 0 && errno == EACCES) return Program{path};
    const std::optional<ElfFile> elf = read_elf(binary);
    if (!elf || !elf->is_reachable) return std::nullopt;
    return Program{path};
}

}  // namespace malloom::command
