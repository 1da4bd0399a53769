// Payloads that are lists of properties: name, value, name, value, each a NUL-terminated string.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace malloom::stream {

/// Builds such a payload in a buffer of its own. A property that does not fit is left out. Never allocates.
template <size_t capacity>
class PropertyList {
  public:
    void text(const char* name, const char* value) { bytes(name, value, strlen(value)); }

    /// `value` need not end in a NUL; it must hold none.
    void bytes(const char* name, const char* value, size_t length) {
        const size_t name_bytes = strlen(name) + 1;
        if (name_bytes + length + 1 > capacity - used_) return;
        memcpy(buffer_ + used_, name, name_bytes);
        memcpy(buffer_ + used_ + name_bytes, value, length);
        buffer_[used_ + name_bytes + length] = '\0';
        used_ += name_bytes + length + 1;
    }

    void decimal(const char* name, uint64_t value) { digits(name, value, 10); }
    void hex(const char* name, uint64_t value) { digits(name, value, 16); }

    void hex_bytes(const char* name, const unsigned char* value, size_t count) {
        char text[2 * 64];
        if (count > sizeof text / 2) count = sizeof text / 2;
        for (size_t i = 0; i < count; ++i) {
            text[2 * i] = digit(value[i] >> 4);
            text[2 * i + 1] = digit(value[i] & 15);
        }
        bytes(name, text, 2 * count);
    }

    void clear() { used_ = 0; }

    const unsigned char* payload() const { return reinterpret_cast<const unsigned char*>(buffer_); }
    size_t size() const { return used_; }

  private:
    static char digit(unsigned value) { return "0123456789abcdef"[value]; }

    void digits(const char* name, uint64_t value, unsigned base) {
        char text[20];
        char* begin = text + sizeof text;
        do {
            *--begin = digit(static_cast<unsigned>(value % base));
            value /= base;
        } while (value != 0);
        bytes(name, begin, static_cast<size_t>(text + sizeof text - begin));
    }

    char buffer_[capacity];
    size_t used_ = 0;
};

}  // namespace malloom::stream
