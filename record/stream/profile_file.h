// The profile as a recorder sees it: a file to append to, within a program that may count its descriptors,
// and close or replace them at any time. So none stays open unless somebody asks for it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace malloom::stream {

enum class AppendResult { written, limit, failed };

/// Bytes below a profile's maximum size that are kept for the chunks which say how its processes ended.
inline constexpr uint64_t end_reserve_bytes = 16 << 10;

/// The maximum size for all other chunks.
constexpr uint64_t without_end_reserve(uint64_t maximum_bytes) {
    return maximum_bytes > 2 * end_reserve_bytes ? maximum_bytes - end_reserve_bytes : maximum_bytes;
}

/// Appends to one profile. Thread-safe once opened; never allocates; signal-safe, in a process that has used
/// up its descriptors only where signals are held off. Nothing is ever written to a file that is not the
/// profile: what the descriptor refers to is verified before every write.
class ProfileFile {
  public:
    /// Learns the existing profile at `path` (kept by the caller for good) and its folder PATH.staging, which
    /// are opened by it whenever they are needed. `maximum_bytes` is the size it must not grow beyond, 0 for
    /// none. False when that cannot be done; errno says why.
    bool open(const char* path, uint64_t maximum_bytes);

    /// Keeps both open from now on, as far as the process may have so many: for one that may soon be unable
    /// to open them.
    void keep_descriptors();

    /// Gives what is kept back, as far as it still is the profile's.
    void close_descriptors();

    /// Appends with one write, `beyond` bytes over the maximum size at most. After a failure the profile may
    /// end with a part of the chunk, which readers skip.
    AppendResult append(const void* chunk, size_t bytes, uint64_t beyond = 0);

    /// created of the profile's header, in ns since 1970.
    uint64_t created() const { return created_; }

    /// Creates a file of `bytes` zero bytes, all backed by the disk, in PATH.staging and maps it shared, in
    /// the place of an earlier such mapping `at` where there is one; nullptr where the disk is full or the
    /// folder gone. The mapping does not survive a fork.
    void* stage(const char* name, size_t bytes, void* at = nullptr);

  private:
    bool is_profile(int descriptor, uint64_t* bytes) const;
    struct Opened {
        int descriptor = -1;
        uint64_t bytes = 0;         ///< the file's
        bool is_temporary = false;  ///< whoever asked closes it
    };
    Opened verified() const;
    /// Whether the staging folder's descriptor still is that: the program may have closed it, and another of
    /// its files may have got the number since.
    bool has_folder() const;
    AppendResult append_to(int descriptor, uint64_t size, const void* chunk, size_t bytes,
                           uint64_t beyond) const;
    int create_staged(const char* name) const;
    void* map_staged(const char* name, size_t bytes, void* at) const;
    /// What `use` says of the staging folder's descriptor.
    template <class Use>
    int in_folder(Use use) const;

    const char* path_ = nullptr;
    uint64_t maximum_bytes_ = 0;
    uint64_t created_ = 0;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    dev_t folder_device_ = 0;
    ino_t folder_inode_ = 0;
    int descriptor_ = -1;  ///< -1 where it is not kept
    int folder_ = -1;      ///< likewise
    /// keep_descriptors was called. No child helps out any more: it may have become the first process of a
    /// namespace.
    bool keeps_ = false;
};

}  // namespace malloom::stream
