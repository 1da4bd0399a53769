#include "src/native/command/bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace malloom::command {

Mapped::Mapped(const char* path) {
    // Without waiting for who writes to a pipe.
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

}  // namespace malloom::command
