// Lines for the user without stdio: no allocation, no locks, one write per line, safe in a signal handler.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::platform {

/// One line under construction. What does not fit is cut; the newline always fits.
class Line {
  public:
    Line& text(const char* words);
    Line& text(const char* words, size_t length);
    /// What others wrote: bytes that are no printable ASCII as \xNN, so that no terminal obeys them.
    Line& foreign(const char* words, size_t length);
    Line& number(uint64_t value);
    /// `value` in hexadecimal with a leading 0x.
    Line& hex(uint64_t value);
    /// part/whole in percent with one decimal, as "97.5%"; "0.0%" of nothing.
    Line& percent(uint64_t part, uint64_t whole);
    /// Bytes in the largest binary unit that keeps them above 1, with one decimal: "3.5 MiB".
    Line& bytes(uint64_t value);

    /// Ends the line and writes it to the descriptor with one write; not to a negative one, nor to a pipe
    /// that nobody reads, or that stays full for a second. Raises no signal. Preserves errno.
    void write_to(int descriptor);

    const char* begin() const { return buffer; }
    size_t length() const { return used; }

  private:
    static constexpr size_t capacity = 1024;
    char buffer[capacity];
    size_t used = 0;
};

/// Writes the line to stderr and aborts, as the C library does when its heap is misused.
[[noreturn]] void abort_with(const char* words);

}  // namespace malloom::platform
