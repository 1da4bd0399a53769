#include "runtime/platform/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace malloom::platform {

namespace {

constexpr int high_descriptor = 1000;
constexpr const char* no_ordinary_file = "is no ordinary file";

class KeptErrno {
  public:
    KeptErrno() : saved_(errno) {}
    ~KeptErrno() { errno = saved_; }
    KeptErrno(const KeptErrno&) = delete;
    KeptErrno& operator=(const KeptErrno&) = delete;

  private:
    int saved_;
};

// The last one that the limit allows, where that is lower.
int highest_start() {
    rlimit limit{};
    const bool is_low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= high_descriptor;
    return is_low ? static_cast<int>(limit.rlim_cur) - 1 : high_descriptor;
}

// Looked at before it is opened: who opens the reading end of a pipe wakes those that wait to write to it.
// Looked at again after it, and opened without waiting, as another may have its name by then.
const char* open_ordinary(const char* path, int& descriptor, struct stat& status) {
    if (stat(path, &status) != 0) {
        return strerrordesc_np(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return no_ordinary_file;
    }
    descriptor = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0));
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        return strerrordesc_np(errno);
    }
    return S_ISREG(status.st_mode) ? nullptr : no_ordinary_file;
}

}  // namespace

const char* InputFile::open(const char* path) {
    const KeptErrno kept;
    struct stat status = {};
    int descriptor = -1;
    const char* problem = open_ordinary(path, descriptor, status);
    if (problem != nullptr) {
        if (descriptor >= 0) {
            syscall(SYS_close, descriptor);
        }
        return problem;
    }
    descriptor_ = descriptor;
    bytes_ = static_cast<uint64_t>(status.st_size);
    device_ = status.st_dev;
    inode_ = status.st_ino;
    return nullptr;
}

void InputFile::close() {
    const KeptErrno kept;
    if (descriptor_ >= 0 && is_still_there()) {
        syscall(SYS_close, descriptor_);
    }
    *this = InputFile();
}

// The program may have closed the descriptor, and another of its files may have got the number since.
bool InputFile::is_still_there() const {
    struct stat status = {};
    return fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool InputFile::read(void* into, size_t bytes, uint64_t offset) const {
    const KeptErrno kept;
    if (bytes != 0 && (descriptor_ < 0 || !is_still_there())) {
        return false;
    }
    auto* at = static_cast<char*>(into);
    while (bytes != 0) {
        const long got = syscall(SYS_pread64, descriptor_, at, bytes, offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        offset += static_cast<uint64_t>(got);
        bytes -= static_cast<size_t>(got);
    }
    return true;
}

bool InputFile::keep_open() {
    const KeptErrno kept;
    const int high = fcntl(descriptor_, F_DUPFD_CLOEXEC, highest_start());
    if (high < 0) {
        close();
        return false;
    }
    syscall(SYS_close, descriptor_);
    descriptor_ = high;
    return true;
}

}  // namespace malloom::platform
