// Files as ranges of bytes, from which nothing outside them is read.
#pragma once

#include <stdint.h>
#include <string.h>

#include <optional>
#include <string>
#include <string_view>

namespace malloom::command {

class Bytes {
  public:
    Bytes() = default;
    Bytes(const char* start, uint64_t size) : start_(start), size_(size) {}

    bool is_there() const { return start_ != nullptr; }
    uint64_t size() const { return size_; }
    std::string_view text() const { return {start_, size_}; }

    /// A part of them; not there where it is not all in them.
    Bytes part(uint64_t offset, uint64_t size) const {
        return offset <= size_ && size <= size_ - offset ? Bytes(start_ + offset, size) : Bytes();
    }

    /// Copies what stands there into a structure of its own, which may be unaligned.
    template <typename Value>
    bool read(uint64_t offset, Value& value) const {
        const Bytes found = part(offset, sizeof value);
        if (!found.is_there()) return false;
        memcpy(&value, found.start_, sizeof value);
        return true;
    }

    /// The text up to the next 0. False where there is none.
    bool text(uint64_t offset, std::string_view& text) const {
        if (offset >= size_) return false;
        const void* const end = memchr(start_ + offset, '\0', size_ - offset);
        if (end == nullptr) return false;
        text = {start_ + offset, static_cast<const char*>(end)};
        return true;
    }

    /// Whether this text stands there, with a 0 at its end.
    bool holds(uint64_t offset, std::string_view text) const {
        const Bytes found = part(offset, text.size() + 1);
        return found.is_there() && memcmp(found.start_, text.data(), text.size()) == 0 &&
               found.start_[text.size()] == '\0';
    }

  private:
    const char* start_ = nullptr;
    uint64_t size_ = 0;
};

/// A file mapped for reading, while this lives. Its bytes are not there where it is empty, no ordinary file,
/// or cannot be read.
class Mapped {
  public:
    explicit Mapped(const char* path);
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped();

    Bytes bytes() const { return bytes_; }

  private:
    void* start_ = nullptr;
    Bytes bytes_;
};

/// So many bytes of an ordinary file, from `offset` on; none where it has no longer so many, or cannot be
/// read. A file that is cut meanwhile does no harm.
std::optional<std::string> read_part(const char* path, uint64_t offset, uint64_t bytes);

}  // namespace malloom::command
