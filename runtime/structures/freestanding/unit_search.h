// Bitmaps that a unit in hardware searches (hardware/rtl/chunk_unit.v): of each kind it has one, the first
// one's. The others are in memory.
#pragma once

#include <stdint.h>

#include "runtime/structures/freestanding/bit_search.h"
#include "runtime/structures/freestanding/custom_instructions.h"

namespace malloom::structures {

/// What the unit is asked for, and bit 31 of an answer that is no place.
enum class UnitRequest : uint8_t { find_chunk, free_chunk, load, store, status };
constexpr uint32_t no_place = 0x80000000;

#if defined(__riscv)
using InstructionUnit = CustomInstructions<0>;
#endif

/// All that a unit knows, for as long as others use it. It is taken and brought back between any two
/// instructions: an interrupt may come within a heap's calls. All zero it is a unit's that nobody has used.
/// Kinds has how many there are, and the words of each one's bitmap.
template <class Unit, class Kinds>
class UnitState {
  public:
    /// No wrong free waits in the unit after this.
    void save() {
        was_wrong_ = Unit::template ask<UnitRequest::status>(0, 0);
        uint32_t* to = words_;
        for_each_word([&to](uint32_t kind_and_word) {
            *to++ = Unit::template ask<UnitRequest::store>(kind_and_word, 0);
        });
    }
    void restore() const {
        Unit::template ask<UnitRequest::status>(0, 0);
        if (was_wrong_ != 0) [[unlikely]] {
            make_wrong();
        }
        const uint32_t* from = words_;
        for_each_word([&from](uint32_t kind_and_word) {
            Unit::template ask<UnitRequest::load>(kind_and_word, *from++);
        });
    }

  private:
    static constexpr uint32_t count_words() {
        uint32_t words = 0;
        for (uint32_t kind = 0; kind < Kinds::classes; ++kind) {
            words += Kinds::words_of(kind);
        }
        return words;
    }
    template <class Do>
    [[gnu::always_inline]] static void for_each_word(Do with) {
#pragma GCC unroll 16
        for (uint32_t kind = 0; kind < Kinds::classes; ++kind) {
            for (uint32_t word = 0; word < Kinds::words_of(kind); ++word) {
                with(kind | word << 8);
            }
        }
    }
    /// The unit cannot be told an error, but it can be given a reason for one.
    [[gnu::cold]] static void make_wrong() {
        Unit::template ask<UnitRequest::load>(0, 1);
        Unit::template ask<UnitRequest::free_chunk>(0, 0);
    }

    uint32_t was_wrong_;
    uint32_t words_[count_words()];
};

/// As SearchInMemory. A place of a first bitmap that is freed while it is free changes nothing, and is found
/// out late: the next `take` of any kind gives an error, which is not a place, and takes none.
template <class Unit>
struct SearchInUnit {
    static constexpr bool finds_late = true;
    template <class Kinds>
    using State = UnitState<Unit, Kinds>;

    [[gnu::always_inline]] static uint32_t take(uint32_t kind, uint32_t*) {
        return Unit::template ask<UnitRequest::find_chunk>(kind, 0);
    }
    static bool has_free(uint32_t kind, const uint32_t* words, uint32_t place, bool is_first) {
        if (!is_first) {
            return is_free(words, place);
        }
        const uint32_t word = place / bits_of_word;
        return (Unit::template ask<UnitRequest::store>(kind | word << 8, 0) >> place % bits_of_word & 1) != 0;
    }
    [[gnu::always_inline]] static bool put(uint32_t kind, uint32_t* words, uint32_t place, bool is_first) {
        if (is_first) [[likely]] {
            Unit::template ask<UnitRequest::free_chunk>(kind, place);
            return true;
        }
        return SearchInMemory<void>::put(kind, words, place, false);
    }

    /// The bitmap becomes the first of its kind. In memory nothing of it is free then, so that it can leave
    /// the unit without a transfer when all its places are taken.
    static void load(uint32_t kind, uint32_t* words, uint32_t count) {
        for (uint32_t word = 0; word < count; ++word) {
            Unit::template ask<UnitRequest::load>(kind | word << 8, words[word]);
            words[word] = 0;
        }
    }
    /// The first bitmap of its kind as it is now; the unit keeps it.
    static void store(uint32_t kind, uint32_t* words, uint32_t count) {
        for (uint32_t word = 0; word < count; ++word) {
            words[word] = Unit::template ask<UnitRequest::store>(kind | word << 8, 0);
        }
    }
    /// Whether a wrong free has not been told yet; it is told by this.
    static bool was_wrong() { return Unit::template ask<UnitRequest::status>(0, 0) != 0; }
};

}  // namespace malloom::structures
