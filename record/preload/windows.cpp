#include "record/preload/windows.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/profile.h"
#include "record/stream/ordinary_file.h"

namespace malloom::record {

constinit const uint64_t* window_word = nullptr;

namespace {

using formats::profile::WindowControl;

constexpr size_t path_bytes = 4096;
constexpr char suffix[] = ".windows";

const WindowControl* control;
const char* base;
// Two in turn: who still writes to the last window's profile may ask for its name.
char paths[2][path_bytes + 24];

const WindowControl* map_control(const char* path) {
    const int file = stream::open_ordinary_file(path, O_RDONLY).descriptor;
    if (file < 0) return nullptr;
    struct stat status{};
    void* start = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(WindowControl)))
        start = mmap(nullptr, sizeof(WindowControl), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (start == MAP_FAILED) return nullptr;
    const auto* found = static_cast<const WindowControl*>(start);
    const bool is_one =
        found->magic == formats::profile::window_magic && found->version == formats::profile::version_current;
    if (!is_one) munmap(start, sizeof(WindowControl));
    return is_one ? found : nullptr;
}

char* put_decimal(char* out, uint64_t value) {
    char digits[20];
    char* begin = digits + sizeof digits;
    do {
        *--begin = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    const size_t length = static_cast<size_t>(digits + sizeof digits - begin);
    memcpy(out, begin, length);
    return out + length;
}

}  // namespace

bool find_windows(const char* profile) {
    char path[path_bytes + sizeof suffix];
    const size_t length = strlen(profile);
    if (length >= path_bytes) return false;
    memcpy(path, profile, length);
    memcpy(path + length, suffix, sizeof suffix);
    base = profile;
    control = map_control(path);
    if (control == nullptr) return false;
    window_word = &control->window;
    return true;
}

static_assert(sizeof(WindowControl) == window_control_bytes);
const void* window_control() {
    return control;
}

bool is_window_sampled() {
    return control != nullptr && __atomic_load_n(&control->sampled, __ATOMIC_RELAXED) != 0;
}

uint64_t windows_created() {
    return control->created;
}

const char* profile_of_window(uint64_t window) {
    char* const path = paths[window & 1];
    const size_t length = strlen(base);
    memcpy(path, base, length);
    path[length] = '.';
    *put_decimal(path + length + 1, window) = '\0';
    return path;
}

}  // namespace malloom::record
