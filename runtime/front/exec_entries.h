// The functions that start another program. A library of malloom's that is preloaded stays in the environment
// of what the program starts, and some programs end by it: those of another C library, and those with a
// sanitizer. These are started without it, and a line says so.
//
// Included once in a library. Fit for a child of vfork, where most of these calls come from: nothing is
// requested and no lock is taken. Not for execl and its like, whose C library's forms call none of these.
#pragma once

#include <dlfcn.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/platform/environment.h"
#include "runtime/platform/output.h"
#include "runtime/platform/program_file.h"

namespace malloom::front {

using Words = char* const*;

// The C library's. Looked for when the library is loaded, as dlsym may take locks that a child of vfork must
// not.
struct ExecFunctions {
    int (*execvpe)(const char*, Words, Words);
    decltype(&posix_spawn) spawn;
    decltype(&posix_spawnp) spawn_by_name;
};
static ExecFunctions exec_functions;

[[gnu::constructor]] static void find_exec_functions() {
    exec_functions.execvpe = reinterpret_cast<decltype(exec_functions.execvpe)>(dlsym(RTLD_NEXT, "execvpe"));
    exec_functions.spawn = reinterpret_cast<decltype(&posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
    exec_functions.spawn_by_name =
        reinterpret_cast<decltype(&posix_spawnp)>(dlsym(RTLD_NEXT, "posix_spawnp"));
}
static const ExecFunctions& found_exec_functions() {
    if (exec_functions.execvpe == nullptr) {
        find_exec_functions();  // an earlier constructor starts a program
    }
    return exec_functions;
}

// The variable that has libraries preloaded, in an environment that has it with malloom's; else null.
inline Words preloading(Words environment) {
    for (Words at = environment; at != nullptr && *at != nullptr; ++at) {
        if (strncmp(*at, "LD_PRELOAD=", 11) == 0 && strstr(*at, "/libmalloom") != nullptr) {
            return at;
        }
    }
    return nullptr;
}

// A list of libraries without malloom's. `kept` has room for all of it.
inline void leave_out_own(const char* variable, char* kept) {
    const size_t name = strcspn(variable, "=") + 1;
    char* end = static_cast<char*>(mempcpy(kept, variable, name));
    for (const char* at = variable + name; *at != '\0';) {
        const size_t length = strcspn(at, ": ");
        const char* const last = static_cast<const char*>(memrchr(at, '/', length));
        if (last == nullptr || strncmp(last, "/libmalloom", 11) != 0) {
            end = static_cast<char*>(mempcpy(end, at, length));
            *end++ = ':';
        }
        at += length + (at[length] != '\0');
    }
    *end = '\0';
}

// Starts a program by `starts`, given the environment that is right for it. On the stack, and only where it
// must be another one, as threads may have little of that.
template <class Starts>
int start_with(const char* path, Words environment, Starts starts) {
    Words const preload = preloading(environment);
    const char* const why = preload != nullptr ? platform::why_not_preloaded(path) : nullptr;
    if (why == nullptr) {
        return starts(environment);
    }
    size_t count = 0;
    while (environment[count] != nullptr) {
        ++count;
    }
    auto* const others = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
    memcpy(others, environment, (count + 1) * sizeof(char*));
    auto* const kept = static_cast<char*>(__builtin_alloca(strlen(*preload) + 2));
    leave_out_own(*preload, kept);
    others[preload - environment] = kept;
    platform::Line line;
    line.text("malloom: ").foreign(path, strlen(path)).text(" ").text(why).text(" and runs without malloom");
    line.write_to(STDERR_FILENO);
    return starts(others);
}

// The file that a name without a slash leads to, by the first folder of PATH that has it; where there is no
// PATH, of those that execvp looks in then.
inline const char* in_path(const char* name, char (&buffer)[1024]) {
    if (strchr(name, '/') != nullptr) {
        return name;
    }
    const char* at = platform::environment_value("PATH");
    if (at == nullptr) {
        at = "/bin:/usr/bin";
    }
    while (at != nullptr && *at != '\0') {
        const size_t length = strcspn(at, ":");
        if (length + strlen(name) + 2 <= sizeof buffer) {
            char* const end = static_cast<char*>(mempcpy(buffer, at, length));
            *end = '/';
            strcpy(end + (length != 0), name);
            if (access(buffer, X_OK) == 0) {
                return buffer;
            }
        }
        at += length + (at[length] != '\0');
    }
    return nullptr;
}

inline int start_by_name(const char* name, Words arguments, Words environment) {
    char found[1024];
    return start_with(in_path(name, found), environment,
                      [=](Words right) { return found_exec_functions().execvpe(name, arguments, right); });
}

}  // namespace malloom::front

#define MALLOOM_EXEC_ENTRY extern "C" [[gnu::visibility("default")]] int

MALLOOM_EXEC_ENTRY execve(const char* path, char* const* arguments, char* const* environment) noexcept {
    return malloom::front::start_with(path, environment, [=](malloom::front::Words right) {
        return static_cast<int>(syscall(SYS_execve, path, arguments, right));
    });
}
MALLOOM_EXEC_ENTRY execv(const char* path, char* const* arguments) noexcept {
    return execve(path, arguments, environ);
}
MALLOOM_EXEC_ENTRY execvpe(const char* name, char* const* arguments, char* const* environment) noexcept {
    return malloom::front::start_by_name(name, arguments, environment);
}
MALLOOM_EXEC_ENTRY execvp(const char* name, char* const* arguments) noexcept {
    return malloom::front::start_by_name(name, arguments, environ);
}
MALLOOM_EXEC_ENTRY posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* arguments,
                               char* const* environment) {
    return malloom::front::start_with(path, environment, [=](malloom::front::Words right) {
        return malloom::front::found_exec_functions().spawn(child, path, actions, attributes, arguments,
                                                            right);
    });
}
MALLOOM_EXEC_ENTRY posix_spawnp(pid_t* child, const char* name, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const* arguments,
                                char* const* environment) {
    char found[1024];
    return malloom::front::start_with(malloom::front::in_path(name, found), environment,
                                      [=](malloom::front::Words right) {
                                          return malloom::front::found_exec_functions().spawn_by_name(
                                              child, name, actions, attributes, arguments, right);
                                      });
}
