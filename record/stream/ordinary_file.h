// Files that are opened without waiting for anybody.
#pragma once

#include <stdint.h>
#include <sys/types.h>

namespace malloom::stream {

/// What the descriptor of an ordinary file refers to.
struct OrdinaryFile {
    int descriptor = -1;  ///< the caller's, closed by exec; -1: there is none
    uint64_t bytes = 0;
    dev_t device = 0;
    ino_t inode = 0;
};

/// Opens the ordinary file at `path`, with `flags` as of open(). Without a descriptor where that cannot be
/// done; errno says why, and is EINVAL for what is no ordinary file: a pipe or a device could make who opens
/// it wait, and is not opened. Any thread, signal handlers too.
OrdinaryFile open_ordinary_file(const char* path, int flags);

}  // namespace malloom::stream
