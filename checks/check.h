// Checks of what must hold of malloom's own data, whatever the program does. One that fails is a fault of
// malloom's: it says file, line and condition, and ends the process. What a program may do wrong (free an
// object twice) is no check: the heaps report it in words of their own.
//
// Two costs. MALLOOM_CHECK is in every build: where a wrong answer would corrupt memory, and the check is a
// few instructions on a slow path. MALLOOM_CHECK_FULL is in checked builds alone (MALLOOM_CHECKED): it may
// walk over whole structures, mostly by a member is_valid() that says whether all that the structure promises
// holds.
//
// No header of a C library is needed where there is none. Firmware, and whoever else has no descriptor to
// write to, names the function that a failure calls by the macro MALLOOM_CHECK_FAILED: it takes (const char*
// file, int line, const char* what) and does not return. A freestanding build that names none stops at a
// trap.
#pragma once

#if !defined(MALLOOM_CHECK_FAILED)
#define MALLOOM_CHECK_FAILED ::malloom::checks::failed

#if __STDC_HOSTED__
#include <stdlib.h>
#include <unistd.h>
#endif

namespace malloom::checks {

#if __STDC_HOSTED__
/// A line on stderr by one write, without stdio or memory: what failed may be the heap. Safe in handlers.
[[noreturn, gnu::cold, gnu::noinline]] inline void failed(const char* file, int line, const char* what) {
    char text[512];
    unsigned length = 0;
    const auto add = [&](const char* words) {
        for (; *words != '\0' && length < sizeof text - 1; ++words) {
            text[length++] = *words;
        }
    };
    char digits[16] = {};
    char* digit = digits + sizeof digits - 1;
    for (int left = line; left > 0; left /= 10) {
        *--digit = static_cast<char>('0' + left % 10);
    }
    add("malloom: fault of malloom's own: ");
    add(file);
    add(":");
    add(digit);
    add(": ");
    add(what);
    text[length++] = '\n';
    const auto written = write(STDERR_FILENO, text, length);
    static_cast<void>(written);  // nobody is left to tell
    abort();
}
#else
[[noreturn, gnu::cold, gnu::noinline]] inline void failed(const char*, int, const char*) {
    __builtin_trap();
}
#endif

}  // namespace malloom::checks
#endif

#define MALLOOM_CHECK(condition)                          \
    (__builtin_expect(static_cast<bool>(condition), true) \
         ? static_cast<void>(0)                           \
         : MALLOOM_CHECK_FAILED(__FILE_NAME__, __LINE__, #condition))

#if defined(MALLOOM_CHECKED)
#define MALLOOM_CHECK_FULL(condition) MALLOOM_CHECK(condition)
#else
// Compiled, so that it stays right, and never evaluated.
#define MALLOOM_CHECK_FULL(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
