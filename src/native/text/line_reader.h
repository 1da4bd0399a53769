// Lines of a file descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace malloom::native {

/// Reads line by line. Memory: the longest line and one block.
class LineReader {
  public:
    explicit LineReader(int descriptor) : descriptor_(descriptor) {}

    /// The next line without its end; false at the end or after a failure. Valid until the next call.
    bool next(std::string_view& line) {
        for (;;) {
            const size_t end = buffer_.find('\n', next_);
            if (end != std::string::npos || (ended_ && next_ < buffer_.size())) {
                line = std::string_view(buffer_).substr(next_, end - next_);
                next_ = end == std::string::npos ? buffer_.size() : end + 1;
                ++number_;
                return true;
            }
            if (ended_) return false;
            refill();
        }
    }

    /// Of the line given last, from 1.
    uint64_t number() const { return number_; }
    /// Why reading failed; empty where it did not.
    const std::string& problem() const { return problem_; }

  private:
    static constexpr size_t block_bytes = size_t{1} << 18;

    void refill() {
        buffer_.erase(0, next_);
        next_ = 0;
        const size_t kept = buffer_.size();
        buffer_.resize(kept + block_bytes);
        ssize_t count;
        do {
            count = read(descriptor_, buffer_.data() + kept, block_bytes);
        } while (count < 0 && errno == EINTR);
        if (count < 0) problem_ = std::strerror(errno);
        ended_ = count <= 0;
        buffer_.resize(kept + (count > 0 ? static_cast<size_t>(count) : 0));
    }

    int descriptor_;
    std::string buffer_;
    size_t next_ = 0;
    uint64_t number_ = 0;
    bool ended_ = false;
    std::string problem_;
};

}  // namespace malloom::native
