#include "src/native/command/saved_plan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "formats/plan.h"

namespace malloom::command {

namespace {

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&free)> found(realpath(path.c_str(), nullptr), free);
    return found ? found.get() : "";
}

/// Empty, or a plan, as far as its first bytes tell.
bool may_be_replaced(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return false;
    uint64_t magic = 0;
    const ssize_t got = read(file, &magic, sizeof magic);
    close(file);
    return got == 0 || (got == sizeof magic && magic == formats::plan::file_magic);
}

}  // namespace

std::optional<std::string> saved_plan(const char* path) {
    const std::string_view given = path;
    const size_t slash = given.rfind('/');
    const std::string_view name = given.substr(slash + 1);
    const std::string folder(slash == std::string_view::npos ? "." : given.substr(0, slash + 1));
    // Names that mean a folder, or that Python reads as another file's.
    if (name.empty() || name == "." || name == "..") return std::nullopt;
    if (access(folder.c_str(), W_OK) != 0) return std::nullopt;
    struct stat status;
    if (lstat(path, &status) != 0) return real_path(folder) + "/" + std::string(name);
    std::string real = real_path(path);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || !may_be_replaced(path)) return std::nullopt;
    return real;
}

}  // namespace malloom::command
