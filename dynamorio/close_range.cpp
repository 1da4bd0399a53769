#include "dynamorio/close_range.h"

#include <dr_api.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace malloom::dynamorio {

namespace {

constexpr unsigned last_descriptor = 1;  // close_range's argument of that name

// What the directory says where it cannot be read: more than most limits allow, and a second's work.
constexpr unsigned many = 1 << 20;

struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

// 0 for "." and "..".
unsigned number_of(const char* name) {
    unsigned number = 0;
    for (; *name >= '0' && *name <= '9'; ++name) {
        number = number * 10 + static_cast<unsigned>(*name - '0');
    }
    return number;
}

unsigned highest_of(const char* entries, long bytes) {
    unsigned highest = 0;
    for (long at = 0; at < bytes;) {
        const auto* entry = reinterpret_cast<const Entry*>(entries + at);
        const unsigned number = number_of(entry->name);
        highest = number > highest ? number : highest;
        at += entry->bytes;
    }
    return highest;
}

// By the kernel's calls alone: the client's own go through DynamoRIO's loader.
unsigned highest_descriptor() {
    const auto folder =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0) return many;
    unsigned highest = 0;
    alignas(Entry) char entries[4096];
    long bytes = 0;
    while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        const unsigned found = highest_of(entries, bytes);
        highest = found > highest ? found : highest;
    }
    syscall(SYS_close, folder);
    return highest;
}

}  // namespace

void bound_close_range(void* context) {
    const auto first = static_cast<unsigned>(dr_syscall_get_param(context, 0));
    const auto last = static_cast<unsigned>(dr_syscall_get_param(context, last_descriptor));
    const unsigned highest = highest_descriptor();
    if (first <= last && last > highest) {
        dr_syscall_set_param(context, last_descriptor, highest > first ? highest : first);
    }
}

}  // namespace malloom::dynamorio
