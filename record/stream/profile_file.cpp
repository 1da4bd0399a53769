#include "record/stream/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/profile.h"
#include "record/stream/ordinary_file.h"

namespace malloom::stream {

namespace {

constexpr int high_descriptor = 1000;
// A process that may have fewer descriptors needs each of them.
constexpr int least_kept = 32;
constexpr char staging_suffix[] = ".staging";

// A file beyond RLIMIT_FSIZE would not just fail to grow: SIGXFSZ would end the program.
bool within_file_limit(uint64_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

// Disk blocks for the whole file: a store to a mapped page without one raises SIGBUS when the disk is full.
bool back_with_disk(int descriptor, size_t bytes) {
    if (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) == 0) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    static const char zeros[4096] = {};
    for (size_t done = 0; done < bytes;) {
        const size_t part = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
        const ssize_t written = write(descriptor, zeros, part);
        if (written <= 0) return false;
        done += static_cast<size_t>(written);
    }
    return true;
}

int open_staging_folder(const char* path) {
    char folder[4096];
    const size_t length = strlen(path);
    if (length + sizeof staging_suffix > sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, path, length);
    memcpy(folder + length, staging_suffix, sizeof staging_suffix);
    return ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// The lowest number that nobody stumbles over, as far as the limit allows.
int high_start() {
    rlimit limit{};
    constexpr int below_limit = 8;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > high_descriptor + below_limit)
        return high_descriptor;
    return static_cast<int>(limit.rlim_cur) - below_limit;
}

bool may_be_kept(int descriptor) {
    return descriptor >= least_kept;
}

// Of one that is not to be kept nothing is: whoever needs it opens it again. Keeps errno.
int kept_or_closed(int descriptor) {
    if (descriptor < 0 || may_be_kept(descriptor)) return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

}  // namespace

int move_descriptor_high(int descriptor) {
    const int start = high_start();
    if (descriptor < 0 || start < least_kept) return descriptor;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, start);
    if (high < 0) return descriptor;
    close(descriptor);
    return high;
}

bool ProfileFile::open(const char* path, uint64_t maximum_bytes) {
    path_ = path;
    maximum_bytes_ = maximum_bytes;
    const OrdinaryFile file = open_ordinary_file(path, O_RDWR | O_APPEND);
    formats::profile::FileHeader header{};
    if (file.descriptor < 0 ||
        pread(file.descriptor, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
        header.magic != formats::profile::file_magic) {
        if (file.descriptor >= 0) close(file.descriptor);
        return false;
    }
    device_ = file.device;
    inode_ = file.inode;
    created_ = header.created;
    descriptor_ = kept_or_closed(move_descriptor_high(file.descriptor));
    const int folder = move_descriptor_high(open_staging_folder(path));
    struct stat status{};
    if (folder < 0 || fstat(folder, &status) != 0) return false;
    folder_ = kept_or_closed(folder);
    folder_device_ = status.st_dev;
    folder_inode_ = status.st_ino;
    return true;
}

// The program may have closed them, and have files of its own by these numbers now.
void ProfileFile::close_descriptors() {
    uint64_t bytes = 0;
    if (is_profile(descriptor_, &bytes)) close(descriptor_);
    if (has_folder()) close(folder_);
    descriptor_ = folder_ = -1;
}

bool ProfileFile::has_folder() const {
    struct stat status{};
    return folder_ >= 0 && fstat(folder_, &status) == 0 && status.st_dev == folder_device_ &&
           status.st_ino == folder_inode_;
}

bool ProfileFile::is_profile(int descriptor, uint64_t* bytes) const {
    struct stat status{};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return false;
    *bytes = static_cast<uint64_t>(status.st_size);
    return status.st_dev == device_ && status.st_ino == inode_;
}

// The program may have closed the descriptor, and another of its files may have got the number since. Whoever
// asks closes one that may not be kept.
int ProfileFile::verified_descriptor(uint64_t& bytes) {
    int descriptor = __atomic_load_n(&descriptor_, __ATOMIC_RELAXED);
    if (is_profile(descriptor, &bytes)) return descriptor;
    descriptor = move_descriptor_high(open_ordinary_file(path_, O_RDWR | O_APPEND).descriptor);
    if (!is_profile(descriptor, &bytes)) {
        if (descriptor >= 0) close(descriptor);
        return -1;
    }
    if (may_be_kept(descriptor)) __atomic_store_n(&descriptor_, descriptor, __ATOMIC_RELAXED);
    return descriptor;
}

AppendResult ProfileFile::append(const void* chunk, size_t bytes, uint64_t beyond) {
    uint64_t size = 0;
    const int descriptor = verified_descriptor(size);
    const AppendResult result = append_to(descriptor, size, chunk, bytes, beyond);
    kept_or_closed(descriptor);
    return result;
}

AppendResult ProfileFile::append_to(int descriptor, uint64_t size, const void* chunk, size_t bytes,
                                    uint64_t beyond) const {
    if (descriptor < 0 || !within_file_limit(size + bytes)) return AppendResult::failed;
    if (maximum_bytes_ != 0 && size + bytes > maximum_bytes_ + beyond) return AppendResult::limit;
    ssize_t written = 0;
    do {
        written = write(descriptor, chunk, bytes);
    } while (written < 0 && errno == EINTR);
    return written == static_cast<ssize_t>(bytes) ? AppendResult::written : AppendResult::failed;
}

template <class Use>
int ProfileFile::in_folder(Use use) {
    // The program may have closed it, and another of its folders may have got the number since.
    if (has_folder()) return use(folder_);
    const int folder = move_descriptor_high(open_staging_folder(path_));
    const int again = folder < 0 ? -1 : use(folder);
    folder_ = kept_or_closed(folder);
    return again;
}

int ProfileFile::create_staged(const char* name) {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    return in_folder([name](int folder) { return openat(folder, name, flags, 0600); });
}

void* ProfileFile::stage(const char* name, size_t bytes, void* at) {
    if (!within_file_limit(bytes)) {
        errno = EFBIG;
        return nullptr;
    }
    const int descriptor = create_staged(name);
    if (descriptor < 0) return nullptr;
    void* start = MAP_FAILED;
    const int fixed = at != nullptr ? MAP_FIXED : 0;
    if (back_with_disk(descriptor, bytes))
        start = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, descriptor, 0);
    const int error = errno;
    close(descriptor);
    if (start == MAP_FAILED) {
        in_folder([name](int folder) { return unlinkat(folder, name, 0); });
        errno = error;
        return nullptr;
    }
    madvise(start, bytes, MADV_DONTFORK);
    return start;
}

}  // namespace malloom::stream
