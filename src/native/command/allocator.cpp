#include "src/native/command/allocator.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "src/native/command/bytes.h"
#include "src/native/command/installation.h"

namespace malloom::command {

namespace {

struct KnownLibrary {
    std::string_view name;
    bool is_built;
};

constexpr KnownLibrary known_libraries[] = {
#define ALLOCATOR(name, is_built) {name, is_built},
#include <run_options.h>
};

constexpr std::string_view known_variables[] = {
#define ALLOCATOR_VARIABLE(name) name,
#include <run_options.h>
};

enum class Base { installed, built };

struct BuiltFolder {
    Base base;
    std::string_view below;
};

// In the order in which Python looks.
constexpr BuiltFolder built_folders[] = {
#define ALLOCATORS_FOLDER(base, folder) {Base::base, folder},
#include <run_options.h>
};

constexpr std::string_view value_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:,=-";

bool sets_an_allocator(const std::pair<std::string, std::string>& variable) {
    return std::ranges::find(known_variables, variable.first) != std::ranges::end(known_variables) &&
           variable.second.find_first_not_of(value_letters) == std::string::npos;
}

bool is_same_file(const std::string& one, const std::string& other) {
    struct stat first;
    struct stat second;
    return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// One that malloom's source tree builds, by the name of the folder in which it lies; empty where it does
/// not.
std::string built_file(const std::string& library, std::string_view name) {
    const std::string environment = environment_folder();
    for (const BuiltFolder& folder : built_folders) {
        const std::string base =
            folder.base == Base::installed ? environment : environment.substr(0, environment.rfind('/'));
        std::string file = base + '/' + std::string(folder.below) + '/' + std::string(name);
        if (is_same_file(file, library)) return file;
    }
    return {};
}

/// Whether the loader finds this file, and no other, by the library's name: all paths with that name in the
/// loader's cache are this file's.
bool is_what_the_loader_finds(const std::string& library, std::string_view name) {
    if (getenv("LD_LIBRARY_PATH") != nullptr) return false;
    const Mapped cache("/etc/ld.so.cache");
    const std::string_view text = cache.bytes().text();
    const std::string end = '/' + std::string(name) + '\0';
    size_t found = 0;
    for (size_t at = text.find(end); at != std::string_view::npos; at = text.find(end, at + 1), ++found) {
        const size_t begin = text.rfind('\0', at) + 1;
        if (!is_same_file(std::string(text.substr(begin, at + end.size() - 1 - begin)), library))
            return false;
    }
    return found > 0;
}

}  // namespace

std::optional<NamedAllocator> found_allocator(const NamedAllocator& named) {
    if (!std::ranges::all_of(named.variables, sets_an_allocator)) return std::nullopt;
    if (named.library.empty()) return named;
    const std::string_view name = std::string_view(named.library).substr(named.library.rfind('/') + 1);
    const auto* const known = std::ranges::find(known_libraries, name, &KnownLibrary::name);
    const bool is_known = known != std::ranges::end(known_libraries);
    if (!is_known || named.library[0] != '/' || access(named.library.c_str(), R_OK) != 0) return std::nullopt;
    NamedAllocator found = named;
    if (known->is_built) {
        found.library = built_file(named.library, name);
    } else if (!is_what_the_loader_finds(named.library, name)) {
        found.library.clear();
    }
    return found.library.empty() ? std::nullopt : std::optional(found);
}

}  // namespace malloom::command
