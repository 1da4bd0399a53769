#include "compiler/driver/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "compiler/driver/failure.h"
#include "formats/fields_file.h"

namespace malloom::driver {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
    fail(failed, path + " " + problem, "name a table that 'malloom profile fields -o' has written");
}

// Whole, in words of 8 bytes, as tables are aligned.
std::vector<uint64_t> words_of(int file, size_t bytes, const std::string& path) {
    std::vector<uint64_t> words((bytes + 7) / 8);
    auto* const start = reinterpret_cast<char*>(words.data());
    for (size_t at = 0; at < bytes;) {
        const ssize_t got = read(file, start + at, bytes - at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse(path, std::string("cannot be read: ") + strerror(errno));
        if (got == 0) refuse(path, "is being written anew");
        at += static_cast<size_t>(got);
    }
    return words;
}

}  // namespace

void check_profile(const std::string& path) {
    // A pipe that nobody writes to would be waited for.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status = {};
    if (file < 0 || fstat(file, &status) != 0) {
        refuse(path, std::string("cannot be read: ") + strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) refuse(path, "is no file");
    const auto bytes = static_cast<size_t>(status.st_size);
    if (bytes > formats::FieldsFile::most_bytes) refuse(path, formats::FieldsFile::too_long);
    const std::vector<uint64_t> words = words_of(file, bytes, path);
    close(file);
    formats::FieldsFile table;
    if (!table.open(reinterpret_cast<const unsigned char*>(words.data()), bytes)) {
        refuse(path, table.problem());
    }
}

}  // namespace malloom::driver
