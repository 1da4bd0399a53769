// Words that threads and signal handlers share, as wide as the machine changes at once: 64 bits on x86-64, 32
// on RV32. While the process has one thread a plain read-modify-write instruction is enough: a signal handler
// can come before or after it but not within. With more threads it needs the lock prefix.
//
// Where the machine has no atomic instructions (RV32IM, without A) a change is several instructions. There is
// one hart, and whoever shares words with its interrupt handlers keeps these out meanwhile.
//
// Whether the process has one thread is said by runtime/structures/alone.h, which needs an operating system.
#pragma once

#include <stdint.h>

namespace malloom::structures {

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define MALLOOM_UNLOCKED_WORDS 1
#else
#define MALLOOM_UNLOCKED_WORDS 0
#endif

/// Whether the machine changes a word by one instruction; without it compilers call functions that are not
/// there.
#if __GCC_ATOMIC_POINTER_LOCK_FREE == 2
#define MALLOOM_ATOMIC_WORDS 1
#else
#define MALLOOM_ATOMIC_WORDS 0
#endif

/// Loads and stores that order nothing.
template <typename Word>
[[gnu::always_inline]] inline Word load_relaxed(const Word& word) {
    static_assert(sizeof(Word) <= sizeof(uintptr_t), "the machine does not change so much at once");
#if MALLOOM_ATOMIC_WORDS
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
#else
    return *static_cast<const volatile Word*>(&word);
#endif
}
template <typename Word>
[[gnu::always_inline]] inline void store_relaxed(Word& word, Word value) {
    static_assert(sizeof(Word) <= sizeof(uintptr_t), "the machine does not change so much at once");
#if MALLOOM_ATOMIC_WORDS
    __atomic_store_n(&word, value, __ATOMIC_RELAXED);
#else
    *static_cast<volatile Word*>(&word) = value;
#endif
}

[[gnu::always_inline]] inline uintptr_t load(const uintptr_t& word) {
#if MALLOOM_ATOMIC_WORDS
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
#else
    return load_relaxed(word);
#endif
}

/// Stores `desired` if the word still is `expected`; says whether it did. `is_alone`, here and below: no
/// other thread can run.
[[gnu::always_inline]] inline bool replace([[maybe_unused]] bool is_alone, uintptr_t& word,
                                           uintptr_t expected, uintptr_t desired) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        bool done = false;
        __asm__("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(word), "+a"(expected) : "r"(desired));
        return done;
    }
#endif
#if MALLOOM_ATOMIC_WORDS
    return __atomic_compare_exchange_n(&word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
#else
    const bool is_expected = load_relaxed(word) == expected;
    if (is_expected) {
        store_relaxed(word, desired);
    }
    return is_expected;
#endif
}

/// Flips bits. The caller owns them, so it knows what they become.
[[gnu::always_inline]] inline void flip([[maybe_unused]] bool is_alone, uintptr_t& word, uintptr_t bits) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        __asm__("xorq %1, %0" : "+m"(word) : "r"(bits) : "cc");
        return;
    }
#endif
#if MALLOOM_ATOMIC_WORDS
    __atomic_fetch_xor(&word, bits, __ATOMIC_ACQ_REL);
#else
    store_relaxed(word, load_relaxed(word) ^ bits);
#endif
}

/// Adds and gives the value before.
[[gnu::always_inline]] inline uintptr_t fetch_add([[maybe_unused]] bool is_alone, uintptr_t& word,
                                                  uintptr_t amount) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        __asm__("xaddq %1, %0" : "+m"(word), "+r"(amount) : : "cc");
        return amount;
    }
#endif
#if MALLOOM_ATOMIC_WORDS
    return __atomic_fetch_add(&word, amount, __ATOMIC_ACQ_REL);
#else
    const uintptr_t before = load_relaxed(word);
    store_relaxed(word, before + amount);
    return before;
#endif
}

/// Adds to a word that one thread and its signal handlers alone use, by one instruction, which gives nothing
/// back: so what it stores reaches later loads as quickly as a plain store's.
[[gnu::always_inline]] inline void add_in_thread(uintptr_t& word, intptr_t amount) {
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(word) : "er"(amount) : "memory", "cc");
#elif MALLOOM_ATOMIC_WORDS
    __atomic_fetch_add(&word, static_cast<uintptr_t>(amount), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
    store_relaxed(word, load_relaxed(word) + static_cast<uintptr_t>(amount));
#endif
}

/// A count that need not be exact. Threads may add at the same time, and lose what one of them adds. Zero is
/// an empty one. It wraps where a word does: at 2^32 where words have 32 bits.
class RacyCount {
  public:
    uintptr_t now() const { return load_relaxed(value_); }
    void add(uintptr_t more) { store_relaxed(value_, now() + more); }

  private:
    uintptr_t value_ = 0;
};

}  // namespace malloom::structures
