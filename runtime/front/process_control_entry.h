// prctl, by which a program forbids itself system calls (seccomp). Included once in a library, behind a
// definition of malloom::front::before_process_control, which is told the option and the word after it
// before the kernel is, and of after_refused_process_control, which is told them where the kernel refuses.
#pragma once

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// As the C library's, which is the system call alone.
extern "C" [[gnu::visibility("default")]] int prctl(int option, ...) noexcept {
    va_list words;
    va_start(words, option);
    unsigned long word[4];
    for (unsigned long& each : word) {
        each = va_arg(words, unsigned long);
    }
    va_end(words);
    malloom::front::before_process_control(option, word[0]);
    const auto result = static_cast<int>(syscall(SYS_prctl, option, word[0], word[1], word[2], word[3]));
    if (result < 0) {
        malloom::front::after_refused_process_control(option, word[0]);
    }
    return result;
}
