// Reads numbers out of a stretch of memory and never beyond it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace malloom::context {

/// `bytes` of memory at `start` that some program sees at `address`. In a live process both are the same
/// place; a test gives a copy.
struct MemoryImage {
    const unsigned char* start = nullptr;
    size_t bytes = 0;
    uint64_t address = 0;
};

/// A cursor over an image. A read that does not fit gives 0 and spoils the reader: whoever reads checks
/// `good` once, at the end.
class ByteReader {
  public:
    ByteReader(const MemoryImage& image, uint64_t address) : image_(image), offset_(address - image.address) {
        if (offset_ > image.bytes) {
            spoil();
        }
    }

    bool good() const { return good_; }
    bool at_end() const { return offset_ >= image_.bytes; }
    uint64_t address() const { return image_.address + offset_; }

    /// What is left, for who looks at the bytes himself and says then how far he came.
    const unsigned char* here() const { return image_.start + offset_; }
    const unsigned char* end() const { return image_.start + image_.bytes; }
    void go_to(const unsigned char* place) { offset_ = static_cast<uint64_t>(place - image_.start); }

    /// Forgets everything from `address` on.
    void end_at(uint64_t address) {
        const uint64_t bytes = address - image_.address;
        if (bytes > image_.bytes || bytes < offset_) {
            return spoil();
        }
        image_.bytes = bytes;
    }

    void skip(uint64_t bytes) {
        if (bytes > image_.bytes - offset_) {
            return spoil();
        }
        offset_ += bytes;
    }

    template <class Number>
    Number read() {
        Number number{};
        if (sizeof(Number) > image_.bytes - offset_) {
            spoil();
            return number;
        }
        memcpy(&number, image_.start + offset_, sizeof(Number));
        offset_ += sizeof(Number);
        return number;
    }

    uint64_t read_uleb128() { return read_leb128().value; }

    int64_t read_sleb128() {
        const Leb128 number = read_leb128();
        const bool is_negative = (number.last & 0x40) != 0 && number.bits < 64;
        return static_cast<int64_t>(is_negative ? number.value | ~uint64_t{0} << number.bits : number.value);
    }

  private:
    struct Leb128 {
        uint64_t value;
        unsigned bits;  // that were given, 7 a byte
        uint8_t last;   // byte; it holds the sign
    };

    Leb128 read_leb128() {
        Leb128 number{0, 0, 0};
        do {
            number.last = read<uint8_t>();
            if (number.bits < 64) {
                number.value |= uint64_t{number.last & 0x7fU} << number.bits;
            }
            number.bits += 7;
        } while ((number.last & 0x80) != 0);
        return number;
    }

    void spoil() {
        good_ = false;
        image_.bytes = offset_ = 0;
    }

    MemoryImage image_;
    uint64_t offset_;
    bool good_ = true;
};

}  // namespace malloom::context
