// Bitmaps of free places, and the ways to find the lowest one. Bit n % 32 of word n / 32 is 1 where place n
// is free; bits beyond the last place are 0, up to a whole block of `bitmap_block` bytes.
//
// A way to search has a static `find(words)`: the lowest bit that is 1, of a bitmap that has one. All give
// the same answer; what differs is what it costs.
#pragma once

#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace malloom::structures {

/// What a bitmap begins at a multiple of, and has whole ones of: so it can be read by 64 bits at a time.
constexpr size_t bitmap_block = 8;
constexpr uint32_t bits_of_word = 32;

/// Of a search that counts nothing.
struct NoSteps {
    static void step() {}
};

/// Compilers would make count-trailing-zeros instructions of the loops below, whose steps are what they are
/// about.
[[gnu::always_inline]] inline uint32_t looked_at(uint32_t bits) {
    __asm__("" : "+r"(bits));
    return bits;
}

/// The bit, within bits of which one is 1, by looking at one after the other.
template <class Steps>
[[gnu::always_inline]] inline uint32_t bit_by_bit(uint32_t bits) {
    uint32_t bit = 0;
    for (; Steps::step(), (looked_at(bits) & 1) == 0; bits >>= 1) {
        ++bit;
    }
    return bit;
}

/// Li, Mohanty and Kavi's (section 3): the first word that has a free place, the first byte in it, then the
/// bit. Nothing is remembered: 11.5 steps in the mean while 256 places fill in order.
template <class Steps = NoSteps>
struct LinearSearch {
    [[gnu::always_inline]] static uint32_t find(const uint32_t* words) {
        uint32_t word = 0;
        for (; Steps::step(), words[word] == 0;) {
            ++word;
        }
        uint32_t bits = words[word];
        uint32_t first = word * bits_of_word;
        for (; Steps::step(), (looked_at(bits) & 0xff) == 0; bits >>= 8) {
            first += 8;
        }
        return first + bit_by_bit<Steps>(bits);
    }
};

/// Kamp's, as FreeBSD had it: the first word, then the bit.
template <class Steps = NoSteps>
struct KampSearch {
    [[gnu::always_inline]] static uint32_t find(const uint32_t* words) {
        uint32_t word = 0;
        for (; Steps::step(), words[word] == 0;) {
            ++word;
        }
        return word * bits_of_word + bit_by_bit<Steps>(words[word]);
    }
};

/// A machine's instruction, where it has one. It is a call of the compiler's library where it has none.
struct BuiltInZeros {
    using Word = uintptr_t;
    [[gnu::always_inline]] static uint32_t count(Word word) {
        return static_cast<uint32_t>(sizeof(Word) == 8 ? __builtin_ctzll(word)
                                                       : __builtin_ctz(static_cast<uint32_t>(word)));
    }
};

/// Of machines without the instruction, as RV32IM: the lowest bit times a number each five neighbouring bits
/// of which differ (Leiserson, Prokop, Randall: Using de Bruijn Sequences to Index a 1 in a Computer Word).
struct MultipliedZeros {
    using Word = uint32_t;
    static constexpr uint8_t places[bits_of_word] = {0,  1,  28, 2,  29, 14, 24, 3,  30, 22, 20,
                                                     15, 25, 17, 4,  8,  31, 27, 13, 23, 21, 19,
                                                     16, 7,  26, 12, 18, 6,  11, 5,  10, 9};
    [[gnu::always_inline]] static uint32_t count(Word word) {
        return places[((word & (0U - word)) * 0x077cb531U) >> 27];
    }
};

#if defined(__riscv)
/// An instruction of the simulated core's that stands for Zbb's ctz: custom-0 with funct7 1 and funct3 0.
struct InstructionZeros {
    using Word = uint32_t;
    [[gnu::always_inline]] static uint32_t count(Word word) {
        uint32_t zeros = 0;
        __asm__(".insn r 0x0b, 0, 1, %0, %1, x0" : "=r"(zeros) : "r"(word));
        return zeros;
    }
};
#endif

/// The first word that has a free place, then its trailing zeros.
template <class Zeros>
struct CountingSearch {
    using Word = typename Zeros::Word;
    static constexpr size_t length = sizeof(Word) * 8 / bits_of_word;

    [[gnu::always_inline]] static uint32_t find(const uint32_t* words) {
        const uint32_t* at = words;
        Word bits = read(at);
        while (bits == 0) {
            bits = read(at += length);
        }
        return static_cast<uint32_t>(at - words) * bits_of_word + Zeros::count(bits);
    }
    /// The same, which is taken then: of a word that is longer than the bitmap's it is not looked for again.
    [[gnu::always_inline]] static uint32_t take(uint32_t* words)
        requires(length > 1)
    {
        uint32_t* at = words;
        Word bits = read(at);
        while (bits == 0) {
            bits = read(at += length);
        }
        const Word left = bits & (bits - 1);
        __builtin_memcpy(__builtin_assume_aligned(at, sizeof left), &left, sizeof left);
        return static_cast<uint32_t>(at - words) * bits_of_word + Zeros::count(bits);
    }

  private:
    // A copy, as the bitmap's own words are shorter, and no other type may alias them. Where nothing is said
    // of the address, machines that load from multiples alone would have it byte by byte.
    [[gnu::always_inline]] static Word read(const uint32_t* at) {
        Word bits = 0;
        __builtin_memcpy(&bits, __builtin_assume_aligned(at, sizeof bits), sizeof bits);
        return bits;
    }
};

#if defined(__SSE2__)
/// 16 bytes at a time, one after the other: from the first byte that is not zero, its trailing zeros. A
/// bitmap that ends with half a vector has some bytes behind it that may be read.
struct VectorSearch {
    [[gnu::always_inline]] static uint32_t find(const uint32_t* words) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(words);
        uint32_t before = 0;
        uint32_t zero = zero_bytes(bytes);
        while (zero == 0xffff) {
            before += sizeof(__m128i);
            zero = zero_bytes(bytes + before);
        }
        const uint32_t byte = before + static_cast<uint32_t>(__builtin_ctz(~zero));
        return byte * 8 + static_cast<uint32_t>(__builtin_ctz(bytes[byte]));
    }

  private:
    // A bit for each of the next 16 that is zero. Bitmaps are aligned less than vectors are.
    [[gnu::always_inline]] static uint32_t zero_bytes(const unsigned char* bytes) {
        const __m128i vector = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(bytes));
        return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(vector, _mm_setzero_si128())));
    }
};
#endif

[[gnu::always_inline]] inline bool is_free(const uint32_t* words, uint32_t place) {
    return (words[place / bits_of_word] >> place % bits_of_word & 1) != 0;
}
[[gnu::always_inline]] inline void flip(uint32_t* words, uint32_t place) {
    words[place / bits_of_word] ^= uint32_t{1} << place % bits_of_word;
}

/// Bitmaps that the processor searches in memory, as a heap asks for them. The kind of a bitmap, and whether
/// it is the first of its kind, mean nothing here (unit_search.h).
template <class Search>
struct SearchInMemory {
    static constexpr bool finds_late = false;
    /// What is neither in memory nor in the processor's registers: nothing.
    template <class Kinds>
    struct State {
        void save() {}
        void restore() const {}
    };

    /// Of the first bitmap of its kind, which has a free place: the lowest one, which is taken then.
    [[gnu::always_inline]] static uint32_t take(uint32_t, uint32_t* words) {
        if constexpr (requires { Search::take(words); }) {
            return Search::take(words);
        }
        const uint32_t place = Search::find(words);
        flip(words, place);
        return place;
    }
    /// Whether it is free, and not taken.
    [[gnu::always_inline]] static bool has_free(uint32_t, const uint32_t* words, uint32_t place, bool) {
        return is_free(words, place);
    }
    /// False where the place is free already; nothing changes then.
    [[gnu::always_inline]] static bool put(uint32_t, uint32_t* words, uint32_t place, bool) {
        if (is_free(words, place)) [[unlikely]] {
            return false;
        }
        flip(words, place);
        return true;
    }
};

}  // namespace malloom::structures
