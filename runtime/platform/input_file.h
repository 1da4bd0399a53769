// A file that is read into memory of one's own. Who maps a file is at the mercy of whoever shortens it: the
// next touch of a page beyond its end is a SIGBUS.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace malloom::platform {

/// An ordinary file, open for reading. All zero, but for the descriptor, is none. Never allocates; no call of
/// it is a point where a thread is cancelled, or changes errno.
class InputFile {
  public:
    /// Opens the file at `path`; null, or in a few words why not. Waits for nobody: a pipe or a device, which
    /// could, is refused without being opened.
    const char* open(const char* path);
    void close();

    /// As long as it was when it was opened.
    uint64_t bytes() const { return bytes_; }

    /// Reads exactly so many bytes from `offset` on. False where the file has no longer so many, or cannot be
    /// read, or the program has closed the descriptor. Thread-safe.
    bool read(void* into, size_t bytes, uint64_t offset) const;

    /// Keeps the descriptor where programs do not stumble over it: from 1000 on where the limits allow.
    /// False, and the file is closed, where no other is left.
    bool keep_open();

  private:
    bool is_still_there() const;

    int descriptor_ = -1;
    uint64_t bytes_ = 0;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace malloom::platform
