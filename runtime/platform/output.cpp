#include "runtime/platform/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace malloom::platform {

namespace {

constexpr char digits_of_16[] = "0123456789abcdef";

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
    size_t written = 0;
    while (written <= used) {
        const ssize_t step = write(descriptor, buffer + written, used + 1 - written);
        if (step < 0 && errno == EINTR) {
            continue;
        }
        if (step <= 0) {
            break;
        }
        written += static_cast<size_t>(step);
    }
    errno = saved;
}

void abort_with(const char* words) {
    Line().text(words).write_to(STDERR_FILENO);
    abort();
}

}  // namespace malloom::platform
