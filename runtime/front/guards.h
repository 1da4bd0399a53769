// What a program writes past the end of an object is noticed when it frees the object: behind the bytes that
// it asked for lie some that only the heap writes, and at the end of the object's memory two words that say
// how many it asked for, and where. As canaries behind heap objects are (Robertson, Kruegel, Mutz, Valeur:
// Run-time Detection of Heap-based Overflows, LISA 2003), but behind them, as pools have no headers.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace malloom::front {

/// Of an object with so many `usable` bytes, of which `asked` were asked for, and are at least `guard_bytes`
/// less. No state, so thread-safe: by whoever has the object.
class Guard {
  public:
    static constexpr size_t guard_bytes = 2 * sizeof(uint64_t);

    /// What to ask a heap for, so that there is room for a guard behind so many bytes.
    static constexpr size_t room_for(size_t asked) {
        return asked <= SIZE_MAX - guard_bytes ? asked + guard_bytes : asked;
    }

    Guard(void* object, size_t usable)
        : object_(static_cast<char*>(object)), end_(object_ + usable - guard_bytes) {}

    /// `place` is where the program asks.
    void set(size_t asked, uintptr_t place) {
        memset(object_ + asked, filled_with, filled(asked));
        const uint64_t words[] = {(asked * factor) ^ mark(), checked(place) ^ mark()};
        memcpy(end_, words, sizeof words);
    }

    /// How many bytes were asked for; more than are usable where the guard is damaged.
    size_t asked() const {
        const size_t found = (word(0) ^ mark()) * inverse;
        const bool is_whole = found <= static_cast<size_t>(end_ - object_) && is_filled(found) && has_place();
        return is_whole ? found : damaged;
    }
    static constexpr size_t damaged = SIZE_MAX;

    /// Where the program asked; 0 where that is not known, or damaged.
    uintptr_t place() const { return has_place() ? (word(1) ^ mark()) & address_bits : 0; }

  private:
    // Any change of a word makes a size of it that is none, or a place whose check is wrong.
    static constexpr uint64_t factor = 0x9e3779b97f4a7c15;
    static constexpr uint64_t inverse = 0xf1de83e19937733d;
    static_assert(factor * inverse == 1);
    static constexpr uint64_t address_bits = (uint64_t{1} << 48) - 1;
    static constexpr unsigned char filled_with = 0xa7;
    static constexpr size_t most_filled = 4096;

    uint64_t word(unsigned number) const {
        uint64_t found = 0;
        memcpy(&found, end_ + number * sizeof found, sizeof found);
        return found;
    }
    // Addresses differ from run to run.
    uint64_t mark() const { return ~(reinterpret_cast<uint64_t>(object_) * factor); }
    // What is no address, as a compiler's token, is not kept.
    static uint64_t checked(uintptr_t place) {
        const uint64_t kept = (place & ~address_bits) == 0 ? place : 0;
        return kept | (((kept + 1) * factor) & ~address_bits);
    }
    bool has_place() const {
        const uint64_t found = word(1) ^ mark();
        return found == checked(found & address_bits);
    }
    size_t filled(size_t asked) const {
        const auto behind = static_cast<size_t>(end_ - object_) - asked;
        return behind < most_filled ? behind : most_filled;
    }
    bool is_filled(size_t asked) const {
        for (const char* at = object_ + asked; at != object_ + asked + filled(asked); ++at) {
            if (static_cast<unsigned char>(*at) != filled_with) {
                return false;
            }
        }
        return true;
    }

    char* object_;
    char* end_;
};

}  // namespace malloom::front
