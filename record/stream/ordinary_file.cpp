#include "record/stream/ordinary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace malloom::stream {

namespace {

bool is_ordinary(const struct stat& status) {
    if (S_ISREG(status.st_mode)) return true;
    errno = EINVAL;
    return false;
}

}  // namespace

// Another may have the name once it has been looked at: so it is opened without waiting, and looked at again.
OrdinaryFile open_ordinary_file(const char* path, int flags) {
    struct stat status{};
    if (stat(path, &status) != 0 || !is_ordinary(status)) return {};
    const int descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return {};
    if (fstat(descriptor, &status) == 0 && is_ordinary(status))
        return {descriptor, static_cast<uint64_t>(status.st_size), status.st_dev, status.st_ino};
    const int error = errno;
    close(descriptor);
    errno = error;
    return {};
}

}  // namespace malloom::stream
