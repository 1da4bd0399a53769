#include "runtime/platform/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::platform {

namespace {

constexpr char digits_of_16[] = "0123456789abcdef";

// How long a line waits for whoever reads a full pipe: a program that writes nothing there must not hang.
constexpr int longest_wait_ms = 1000;

// Whether somebody reads, and has room: a pipe that nobody reads would end the program by SIGPIPE.
bool is_taken(int descriptor) {
    pollfd asked = {descriptor, POLLOUT, 0};
    return poll(&asked, 1, longest_wait_ms) == 1 && (asked.revents & (POLLERR | POLLNVAL)) == 0;
}

// Keeps the SIGPIPE of a reader that leaves in between from the calling thread.
class PipeSignal {
  public:
    PipeSignal() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
        is_held_ = pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
    }
    ~PipeSignal() {
        if (!is_held_) {
            return;
        }
        const timespec at_once = {};
        if (!was_pending_) {
            while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    PipeSignal(const PipeSignal&) = delete;
    PipeSignal& operator=(const PipeSignal&) = delete;

  private:
    sigset_t pipe_;
    sigset_t before_;
    bool was_pending_;
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
    const int saved = errno;
    buffer[used] = '\n';
    if (!may_call()) {
        write_whole(descriptor, buffer, used + 1);
    } else if (is_taken(descriptor)) {
        const PipeSignal kept;
        write_whole(descriptor, buffer, used + 1);
    }
    errno = saved;
}

void abort_with(const char* words) {
    Line().text(words).write_to(STDERR_FILENO);
    abort();
}

}  // namespace malloom::platform
