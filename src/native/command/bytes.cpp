#include "src/native/command/bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace malloom::command {

namespace {

// Without waiting for who writes to a pipe.
int open_for_reading(const char* path) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

Mapped::Mapped(const char* path) {
    const int file = open_for_reading(path);
    struct stat status;
    if (file < 0) return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const auto size = static_cast<size_t>(status.st_size);
        void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (start != MAP_FAILED) {
            start_ = start;
            bytes_ = {static_cast<const char*>(start), size};
        }
    }
    close(file);
}

Mapped::~Mapped() {
    if (start_ != nullptr) munmap(start_, bytes_.size());
}

std::optional<std::string> read_part(const char* path, uint64_t offset, uint64_t bytes) {
    const int file = open_for_reading(path);
    if (file < 0) return std::nullopt;
    std::string text(bytes, '\0');
    const ssize_t done = pread(file, text.data(), bytes, static_cast<off_t>(offset));
    close(file);
    if (done < 0 || static_cast<uint64_t>(done) != bytes) return std::nullopt;
    return text;
}

}  // namespace malloom::command
