// The profile as a recorder sees it: a file to append to, whose descriptor the program may close or replace
// at any time.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace malloom::stream {

enum class AppendResult { written, limit, failed };

/// Appends to one profile. Thread-safe once opened; never allocates; signal-safe. Nothing is ever written to
/// a file that is not the profile: what the descriptor refers to is verified before every write.
class ProfileFile {
  public:
    /// Opens the existing profile at `path` (kept by the caller for good) and its folder PATH.staging.
    /// `maximum_bytes` is the size it must not grow beyond, 0 for none. False when that cannot be done; errno
    /// says why.
    bool open(const char* path, uint64_t maximum_bytes);

    /// Appends with one write. After a failure the profile may end with a part of the chunk, which readers
    /// skip.
    AppendResult append(const void* chunk, size_t bytes);

    /// created of the profile's header, in ns since 1970.
    uint64_t created() const { return created_; }

    /// Creates a file of `bytes` zero bytes, all backed by the disk, in PATH.staging and maps it shared;
    /// nullptr where the disk is full or the folder gone. The mapping does not survive a fork.
    void* stage(const char* name, size_t bytes);

  private:
    bool is_profile(int descriptor, uint64_t* bytes) const;
    int verified_descriptor(uint64_t& bytes);
    int create_staged(const char* name);

    const char* path_ = nullptr;
    uint64_t maximum_bytes_ = 0;
    uint64_t created_ = 0;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    int descriptor_ = -1;
    int folder_ = -1;
};

/// A copy of the descriptor that programs do not stumble over: above 1000 where the limits allow, closed by
/// exec. The original is closed.
int move_descriptor_high(int descriptor);

}  // namespace malloom::stream
