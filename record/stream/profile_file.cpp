#include "record/stream/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/profile.h"
#include "record/stream/ordinary_file.h"
#include "record/stream/own_descriptors.h"

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

void close_quietly(int descriptor) {
    if (descriptor < 0) return;
    const int error = errno;
    close(descriptor);
    errno = error;
}

// The lowest number that nobody stumbles over, as far as the limit allows.
int high_start() {
    rlimit limit{};
    constexpr int below_limit = 8;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > high_descriptor + below_limit)
        return high_descriptor;
    return static_cast<int>(limit.rlim_cur) - below_limit;
}

// A copy that programs do not stumble over: above 1000 or as high as the limits allow. The original is
// closed. Where all numbers are low it stays.
int move_descriptor_high(int descriptor) {
    const int start = high_start();
    if (descriptor < 0 || start < least_kept) return descriptor;
    const int error = errno;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, start);
    errno = error;
    if (high < 0) return descriptor;
    close_quietly(descriptor);
    return high;
}

bool is_done(AppendResult result) {
    return result != AppendResult::failed;
}
bool is_done(const void* mapped) {
    return mapped != nullptr;
}

// What `work` says. In a child, if there may be one, where the process has used up its descriptors, and at
// once where it has other threads: between two calls here these may put files of theirs in the place of ours.
template <class Work>
auto with_descriptors(bool may_have_child, Work work) {
    struct Attempt {
        Work& work;
        decltype(work()) said;
    } attempt{work, {}};
    const auto attempted = [](void* one) {
        auto* const now = static_cast<Attempt*>(one);
        now->said = now->work();
    };
    const bool is_alone = __libc_single_threaded != 0;
    if (!is_alone && may_have_child && with_own_descriptors(attempted, &attempt)) return attempt.said;
    errno = 0;
    attempted(&attempt);
    // NOLINTNEXTLINE(clang-analyzer-unix.Errno): what has failed has set it, whatever succeeded before.
    if (is_alone && may_have_child && !is_done(attempt.said) && errno == EMFILE)
        with_own_descriptors(attempted, &attempt);
    return attempt.said;
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

int open_profile(const char* path) {
    return move_descriptor_high(open_ordinary_file(path, O_RDWR | O_APPEND).descriptor);
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
    return move_descriptor_high(::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// A low number, and one of few, is the program's: of such nothing is kept. Keeps errno.
int kept_or_closed(int descriptor) {
    if (descriptor < 0 || descriptor >= least_kept) return descriptor;
    close_quietly(descriptor);
    return -1;
}

}  // namespace

bool ProfileFile::open(const char* path, uint64_t maximum_bytes) {
    path_ = path;
    maximum_bytes_ = maximum_bytes;
    const OrdinaryFile file = open_ordinary_file(path, O_RDWR | O_APPEND);
    formats::profile::FileHeader header{};
    const bool has_header =
        file.descriptor >= 0 &&
        pread(file.descriptor, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
        header.magic == formats::profile::file_magic;
    close_quietly(file.descriptor);
    if (!has_header) return false;
    device_ = file.device;
    inode_ = file.inode;
    created_ = header.created;
    const int folder = open_staging_folder(path);
    struct stat status{};
    const bool has_status = folder >= 0 && fstat(folder, &status) == 0;
    close_quietly(folder);
    folder_device_ = status.st_dev;
    folder_inode_ = status.st_ino;
    return has_status;
}

// Of the profile's file that a child of vfork keeps, the parent has the number and not the file.
void ProfileFile::keep_descriptors() {
    if (path_ == nullptr) return;
    const int error = errno;
    __atomic_store_n(&keeps_, true, __ATOMIC_RELAXED);
    const Opened profile = verified();
    if (profile.is_temporary)
        __atomic_store_n(&descriptor_, kept_or_closed(profile.descriptor), __ATOMIC_RELAXED);
    if (!has_folder())
        __atomic_store_n(&folder_, kept_or_closed(open_staging_folder(path_)), __ATOMIC_RELAXED);
    errno = error;
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

// The program may have closed the descriptor, and another of its files may have got the number since.
ProfileFile::Opened ProfileFile::verified() const {
    Opened profile = {__atomic_load_n(&descriptor_, __ATOMIC_RELAXED), 0, false};
    if (is_profile(profile.descriptor, &profile.bytes)) return profile;
    profile = {open_profile(path_), 0, true};
    if (is_profile(profile.descriptor, &profile.bytes)) return profile;
    close_quietly(profile.descriptor);
    return {};
}

AppendResult ProfileFile::append(const void* chunk, size_t bytes, uint64_t beyond) {
    return with_descriptors(!__atomic_load_n(&keeps_, __ATOMIC_RELAXED), [=, this] {
        const Opened profile = verified();
        const AppendResult result = append_to(profile.descriptor, profile.bytes, chunk, bytes, beyond);
        if (profile.is_temporary) close_quietly(profile.descriptor);
        return result;
    });
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
int ProfileFile::in_folder(Use use) const {
    if (has_folder()) return use(folder_);
    const int folder = open_staging_folder(path_);
    const int said = folder < 0 ? -1 : use(folder);
    close_quietly(folder);
    return said;
}

int ProfileFile::create_staged(const char* name) const {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    return in_folder([name](int folder) { return openat(folder, name, flags, 0600); });
}

void* ProfileFile::stage(const char* name, size_t bytes, void* at) {
    return with_descriptors(!__atomic_load_n(&keeps_, __ATOMIC_RELAXED),
                            [=, this] { return map_staged(name, bytes, at); });
}

void* ProfileFile::map_staged(const char* name, size_t bytes, void* at) const {
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
