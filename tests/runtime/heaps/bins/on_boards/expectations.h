// What a program without any library expects of what it tests, and numbers that it takes for chance.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::tests::on_boards {

/// Counts what was looked at, and remembers what did not hold first.
class Expectations {
  public:
    /// Of what follows.
    void begin(const char* part) { part_ = part; }

    /// `what` is a sentence, and `about` a number that goes with it.
    bool expect(bool holds, const char* what, size_t about = 0) {
        ++count_;
        if (!holds && wrong_ == nullptr) {
            wrong_ = what;
            wrong_part_ = part_;
            about_ = about;
        }
        return holds;
    }

    bool hold() const { return wrong_ == nullptr; }
    size_t count() const { return count_; }
    const char* wrong() const { return wrong_; }
    const char* wrong_part() const { return wrong_part_; }
    size_t about() const { return about_; }

  private:
    const char* part_ = "";
    const char* wrong_ = nullptr;
    const char* wrong_part_ = nullptr;
    size_t about_ = 0;
    size_t count_ = 0;
};

/// Marsaglia's xorshift: the same numbers on every machine.
class Numbers {
  public:
    explicit Numbers(uint32_t seed) : state_(2463534242U ^ seed * 2654435761U) {
        state_ = state_ == 0 ? 1 : state_;
    }
    uint32_t below(uint32_t end) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_ % end;
    }

  private:
    uint32_t state_;
};

}  // namespace malloom::tests::on_boards
