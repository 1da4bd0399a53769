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

/// Empty, or one plan, as far as its header tells.
bool may_be_replaced(const std::string& path, uint64_t bytes) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return false;
    formats::plan::PlanHeader header = {};
    const ssize_t got = read(file, &header, sizeof header);
    close(file);
    const bool is_plan = got == sizeof header && header.magic == formats::plan::file_magic;
    return got == 0 || (is_plan && header.file_bytes >= bytes);
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
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        !may_be_replaced(path, static_cast<uint64_t>(status.st_size))) {
        return std::nullopt;
    }
    return real;
}

}  // namespace malloom::command
