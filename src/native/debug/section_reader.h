// Numbers of a section of debug information, one after the other, never beyond its end.
#pragma once

#include <stdint.h>

#include <cstring>
#include <span>

namespace malloom::native {

using Bytes = std::span<const unsigned char>;

/// After the first read beyond the end good() is false and every number is 0.
class SectionReader {
  public:
    explicit SectionReader(Bytes bytes, uint64_t at = 0)
        : bytes_(bytes), at_(at), good_(at <= bytes.size()) {}

    bool good() const { return good_; }
    bool ended() const { return !good_ || at_ == bytes_.size(); }
    uint64_t at() const { return at_; }

    /// A little-endian number of up to 8 bytes.
    uint64_t number(uint64_t bytes) {
        uint64_t value = 0;
        if (take(bytes)) std::memcpy(&value, bytes_.data() + at_ - bytes, bytes);
        return value;
    }

    uint64_t uleb() {
        uint64_t value = 0;
        unsigned shift = 0;
        for (uint64_t byte = 0x80; (byte & 0x80) != 0 && good_; shift += 7) {
            byte = number(1);
            if (shift < 64) value |= (byte & 0x7f) << shift;
        }
        return value;
    }

    int64_t sleb() {
        uint64_t value = 0, byte = 0x80;
        unsigned shift = 0;
        while ((byte & 0x80) != 0 && good_) {
            byte = number(1);
            if (shift < 64) value |= (byte & 0x7f) << shift;
            shift += 7;
        }
        if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
    }

    void skip_text() {
        while (number(1) != 0) {
        }
    }

    void skip(uint64_t bytes) { take(bytes); }
    /// Forwards only.
    void go_to(uint64_t at) {
        good_ = good_ && at >= at_ && at <= bytes_.size();
        at_ = good_ ? at : at_;
    }

    /// The length that a unit begins with, and whether its offsets have 8 bytes.
    uint64_t unit_length(bool& is_wide) {
        const uint64_t length = number(4);
        is_wide = length == 0xffffffff;
        return is_wide ? number(8) : length;
    }

  private:
    bool take(uint64_t bytes) {
        good_ = good_ && bytes <= bytes_.size() - at_;
        if (good_) at_ += bytes;
        return good_;
    }

    Bytes bytes_;
    uint64_t at_;
    bool good_;
};

}  // namespace malloom::native
