#include "runtime/platform/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::platform {

namespace {

constexpr char digits_of_16[] = "0123456789abcdef";

// A line waits so long, in all, for whoever reads a full pipe: a program that writes nothing there must not
// hang. In parts, as each signal ends one.
constexpr int waits = 20, wait_ms = 50;

bool is_pipe(int descriptor) {
    struct stat status = {};
    return fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// Whether there is room, and, of a pipe, somebody who reads: nobody would end the program by SIGPIPE. Where
// that cannot be asked, as with a limit of no descriptors, there may be.
bool is_taken(int descriptor) {
    for (int i = 0; i < waits; ++i) {
        pollfd asked = {descriptor, POLLOUT, 0};
        const int found = poll(&asked, 1, wait_ms);
        if (found > 0) {
            return (asked.revents & (POLLERR | POLLHUP)) == 0 || !is_pipe(descriptor);
        }
        if (found < 0 && errno != EINTR) {
            return true;
        }
    }
    return false;
}

// Keeps from the calling thread what a write may raise: a reader that leaves just then, a file at its limit,
// a terminal that stops who writes from the background.
class WriteSignals {
  public:
    WriteSignals() {
        sigset_t held;
        sigset_t pending;
        sigemptyset(&held);
        sigemptyset(&raised_);
        const bool is_known = sigpending(&pending) == 0;
        constexpr int kinds[] = {SIGPIPE, SIGXFSZ, SIGTTOU};
        for (const int each : kinds) {
            sigaddset(&held, each);
            if (each != SIGTTOU && is_known && sigismember(&pending, each) == 0) {
                sigaddset(&raised_, each);
            }
        }
        is_held_ = pthread_sigmask(SIG_BLOCK, &held, &before_) == 0;
    }
    ~WriteSignals() {
        if (!is_held_) {
            return;
        }
        const timespec at_once = {};
        while (sigtimedwait(&raised_, nullptr, &at_once) > 0 || errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WriteSignals(const WriteSignals&) = delete;
    WriteSignals& operator=(const WriteSignals&) = delete;

  private:
    sigset_t raised_;  // those that were not pending before
    sigset_t before_;
    bool is_held_;
};

void write_whole(int descriptor, const char* words, size_t bytes) {
    while (bytes != 0) {
        const ssize_t written = write(descriptor, words, bytes);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return;
        }
        words += written;
        bytes -= static_cast<size_t>(written);
    }
}

}  // namespace

Line& Line::text(const char* words) {
    return text(words, strlen(words));
}

Line& Line::text(const char* words, size_t length) {
    const size_t room = capacity - 1 - used;
    const size_t copied = length < room ? length : room;
    memcpy(buffer + used, words, copied);
    used += copied;
    return *this;
}

Line& Line::foreign(const char* words, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(words[i]);
        if (byte >= ' ' && byte <= '~') {
            text(words + i, 1);
        } else {
            text("\\x").text(&digits_of_16[byte >> 4], 1).text(&digits_of_16[byte & 15], 1);
        }
    }
    return *this;
}

Line& Line::number(uint64_t value) {
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return text(digits + first, sizeof digits - first);
}

Line& Line::hex(uint64_t value) {
    char digits[16];
    size_t first = sizeof digits;
    do {
        digits[--first] = digits_of_16[value % 16];
        value /= 16;
    } while (value != 0);
    return text("0x").text(digits + first, sizeof digits - first);
}

Line& Line::percent(uint64_t part, uint64_t whole) {
    const double exact = whole == 0 ? 0.0 : static_cast<double>(part) * 1000.0 / static_cast<double>(whole);
    const auto tenths = static_cast<uint64_t>(exact);
    return number(tenths / 10).text(".").number(tenths % 10).text("%");
}

Line& Line::bytes(uint64_t value) {
    static const char units[][5] = {" B", " KiB", " MiB", " GiB", " TiB"};
    unsigned unit = 0;
    uint64_t divisor = 1;
    while (unit < 4 && value / divisor >= 1024) {
        divisor *= 1024;
        ++unit;
    }
    number(value / divisor);
    if (unit != 0) {
        text(".").number(value % divisor * 10 / divisor);
    }
    return text(units[unit]);
}

void Line::write_to(int descriptor) {
    if (descriptor < 0) {
        return;
    }
    const int saved = errno;
    buffer[used] = '\n';
    if (!may_call()) {
        write_whole(descriptor, buffer, used + 1);
    } else if (is_taken(descriptor)) {
        const WriteSignals kept;
        write_whole(descriptor, buffer, used + 1);
    }
    errno = saved;
}

void abort_with(const char* words) {
    Line().text(words).write_to(STDERR_FILENO);
    abort();
}

}  // namespace malloom::platform
