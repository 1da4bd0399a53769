#include "compiler/driver/files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "compiler/driver/failure.h"

namespace malloom::driver {

namespace {

constexpr const char* plugin_name = "malloom_plugin.so";
constexpr const char* archive_name = "libmalloom_pools.a";
constexpr const char* mimalloc_name = "mimalloc-3.a";

bool is_file(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Without symbolic links; the path as it is where that cannot be.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&free)> found(realpath(path.c_str(), nullptr), free);
    return found ? found.get() : path;
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

// The driver may be installed by the name of what it becomes: it would begin again and again.
bool is_itself(const std::string& path) {
    return real_path(path) == real_path("/proc/self/exe");
}

// An empty string where the PATH has none.
std::string in_path(const std::string& name) {
    const char* const variable = getenv("PATH");
    const char* folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (*folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const std::string path = (length > 0 ? std::string(folders, length) : ".") + "/" + name;
        if (is_file(path) && access(path.c_str(), X_OK) == 0 && !is_itself(path)) return path;
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return {};
}

// The driver lies beside them, or is a script's place away from the package that has them.
std::string native_folder() {
    std::string folder = folder_of(real_path("/proc/self/exe"));
    const std::string candidates[] = {
        folder,
        folder + "/../" MALLOOM_PYTHON_FOLDER "/site-packages/malloom/native",
        folder + "/../" MALLOOM_PYTHON_FOLDER "/dist-packages/malloom/native",
        folder + "/../malloom/native",
    };
    for (const std::string& candidate : candidates) {
        if (is_file(candidate + "/" + plugin_name) || is_file(candidate + "/" + archive_name))
            return candidate;
    }
    return folder;
}

std::string file_in(const std::string& folder, const char* name) {
    std::string path = folder + "/" + name;
    if (!is_file(path)) {
        fail(failed, "this installation of malloom lacks " + path,
             "build it where llvm-19-dev is installed, or link with -fno-lto");
    }
    return path;
}

}  // namespace

std::string find_program(const std::string& name, const std::string& package) {
    std::string path = in_path(name);
    if (path.empty()) fail(failed, "there is no " + name + " in the PATH", "install " + package);
    return path;
}

LinkFiles find_link_files() {
    const std::string folder = native_folder();
    return {file_in(folder, plugin_name), file_in(folder, archive_name)};
}

// Beside the other files, or where 'make build' puts allocators: in the lib of the environment that has the
// package.
std::string find_mimalloc() {
    const std::string folder = native_folder();
    for (const char* const place : {"/", "/../../../../malloom/allocators/"}) {
        std::string path = folder + place + mimalloc_name;
        if (is_file(path)) return path;
    }
    fail(failed, "this installation of malloom has no mimalloc to link with, " + std::string(mimalloc_name),
         "run 'make build' in malloom's source tree, or give -fmalloom-fallback=libc");
}

std::optional<std::string> text_of(const char* path) {
    const int file = is_file(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0) return std::nullopt;
    struct stat status;
    std::string text;
    bool is_read = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (is_read) {
        text.resize(static_cast<size_t>(status.st_size));
        is_read = read(file, text.data(), text.size()) == status.st_size;
    }
    close(file);
    return is_read ? std::optional(text) : std::nullopt;
}

std::string linker_option(const std::string& clang) {
    if (is_file(folder_of(real_path(clang)) + "/ld.lld")) return {};
    return "--ld-path=" + find_program("ld.lld-" MALLOOM_LLVM_VERSION, "lld-" MALLOOM_LLVM_VERSION);
}

}  // namespace malloom::driver
