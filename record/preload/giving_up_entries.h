// The functions by which a program gives up what it may reach: other identities, another root, other
// namespaces, fewer descriptors. The profile may not be there afterwards by its path, so it is kept open from
// the first such call on. What the program does by bare system calls is not seen: then the recording ends
// with the next full stage.
//
// Included once in a library. Fit for a child of vfork, which has descriptors of its own and the parent's
// memory: the parent finds that it has none of them.
#pragma once

#include <dlfcn.h>
#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/preload/image.h"

// The C library's is looked for when the library is loaded, as dlsym may take locks that a child of vfork
// must not.
#define MALLOOM_ENTRY_AFTER(before, name, parameters, arguments)                         \
    static decltype(&name) next_##name;                                                  \
    [[gnu::constructor]] static void find_##name() {                                     \
        next_##name = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name));        \
    }                                                                                    \
    extern "C" [[gnu::visibility("default")]] int name parameters {                      \
        malloom::record::before;                                                         \
        if (next_##name == nullptr) find_##name(); /* an earlier constructor gives up */ \
        return next_##name arguments;                                                    \
    }
#define MALLOOM_GIVING_UP_ENTRY(name, parameters, arguments) \
    MALLOOM_ENTRY_AFTER(keep_profile(), name, parameters, arguments)

MALLOOM_GIVING_UP_ENTRY(setuid, (uid_t user) noexcept, (user))
MALLOOM_GIVING_UP_ENTRY(seteuid, (uid_t effective) noexcept, (effective))
MALLOOM_GIVING_UP_ENTRY(setreuid, (uid_t user, uid_t effective) noexcept, (user, effective))
MALLOOM_GIVING_UP_ENTRY(setresuid, (uid_t user, uid_t effective, uid_t saved) noexcept,
                        (user, effective, saved))
MALLOOM_GIVING_UP_ENTRY(setfsuid, (uid_t user) noexcept, (user))
MALLOOM_GIVING_UP_ENTRY(setgid, (gid_t group) noexcept, (group))
MALLOOM_GIVING_UP_ENTRY(setegid, (gid_t effective) noexcept, (effective))
MALLOOM_GIVING_UP_ENTRY(setregid, (gid_t group, gid_t effective) noexcept, (group, effective))
MALLOOM_GIVING_UP_ENTRY(setresgid, (gid_t group, gid_t effective, gid_t saved) noexcept,
                        (group, effective, saved))
MALLOOM_GIVING_UP_ENTRY(setfsgid, (gid_t group) noexcept, (group))
MALLOOM_GIVING_UP_ENTRY(setgroups, (size_t count, const gid_t* groups) noexcept, (count, groups))
MALLOOM_GIVING_UP_ENTRY(initgroups, (const char* user, gid_t group), (user, group))
MALLOOM_GIVING_UP_ENTRY(chroot, (const char* path) noexcept, (path))
MALLOOM_GIVING_UP_ENTRY(unshare, (int flags) noexcept, (flags))
MALLOOM_GIVING_UP_ENTRY(setns, (int space, int kind) noexcept, (space, kind))

namespace malloom::record {

// Most programs that set this limit have more descriptors by it.
template <class Limit>
void before_limit(__rlimit_resource_t resource, const Limit* limit) {
    rlimit now{};
    if (resource == RLIMIT_NOFILE && limit != nullptr && getrlimit(RLIMIT_NOFILE, &now) == 0 &&
        limit->rlim_cur < now.rlim_cur) {
        keep_profile();
    }
}

}  // namespace malloom::record

MALLOOM_ENTRY_AFTER(before_limit(resource, limit), setrlimit,
                    (__rlimit_resource_t resource, const rlimit* limit) noexcept, (resource, limit))
MALLOOM_ENTRY_AFTER(before_limit(resource, limit), setrlimit64,
                    (__rlimit_resource_t resource, const rlimit64* limit) noexcept, (resource, limit))
