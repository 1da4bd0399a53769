// Where machine code is written: from its end to its begin, so that whatever is jumped to stands already, and
// every jump is as short as its distance allows.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Of what several places need: once where size counts.
#if defined(__OPTIMIZE_SIZE__)
#define MALLOOM_BINS_SHARED [[gnu::noinline]]
#else
#define MALLOOM_BINS_SHARED
#endif

namespace malloom::codegen::bins {

/// Code at the end of a room that is aligned to 4 there. What finds no room is counted, and lost.
class CodeWriter {
  public:
    /// Of what is written between two calls of `prepare`, at most.
    static constexpr size_t longest_piece = 28;

    CodeWriter(unsigned char* room, size_t bytes) : end_(room + bytes), room_bytes_(bytes) {}
    CodeWriter(const CodeWriter&) = delete;
    CodeWriter& operator=(const CodeWriter&) = delete;

    /// Before a piece of code: only whole ones are in the room.
    MALLOOM_BINS_SHARED void prepare() {
        if (room_bytes_ < written_ + longest_piece) {
            is_whole_ = false;
            end_ = lost_ + longest_piece + written_;
        }
    }

    /// Bytes so far: what was written last begins so many before the end.
    size_t written() const { return written_; }
    bool is_whole() const { return is_whole_; }
    const unsigned char* begin() const { return end_ - written_; }

    /// Each before all that was written so far, and aligned to its size; the lowest byte first.
    void put_1(uint32_t value) { *take(1) = static_cast<unsigned char>(value); }
    void put_2(uint32_t value) {
        using Half [[gnu::may_alias]] = uint16_t;
        *reinterpret_cast<Half*>(take(2)) = static_cast<uint16_t>(value);
    }
    void put_4(uint32_t value) {
        using Word [[gnu::may_alias]] = uint32_t;
        *reinterpret_cast<Word*>(take(4)) = value;
    }

  private:
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words would be the wrong way round");

    unsigned char* take(size_t bytes) {
        written_ += bytes;
        return end_ - written_;
    }

    unsigned char* end_;
    size_t room_bytes_;
    size_t written_ = 0;
    bool is_whole_ = true;
    alignas(4) unsigned char lost_[longest_piece];
};

}  // namespace malloom::codegen::bins
