// Words that threads and signal handlers share. While the process has one thread a plain read-modify-write
// instruction is enough: a signal handler can come before or after it but not within. With more threads it
// needs the lock prefix.
#pragma once

#include <stdint.h>
#include <sys/single_threaded.h>

namespace malloom::structures {

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define MALLOOM_UNLOCKED_WORDS 1
#else
#define MALLOOM_UNLOCKED_WORDS 0
#endif

/// True while no other thread can run. Ask once per operation and pass the answer on.
[[gnu::always_inline]] inline bool alone() {
#if MALLOOM_UNLOCKED_WORDS
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

[[gnu::always_inline]] inline uint64_t load(const uint64_t& word) {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

/// Stores `desired` if the word still is `expected`; says whether it did.
[[gnu::always_inline]] inline bool replace(bool is_alone, uint64_t& word, uint64_t expected,
                                           uint64_t desired) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        bool done = false;
        __asm__("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(word), "+a"(expected) : "r"(desired));
        return done;
    }
#else
    (void)is_alone;
#endif
    return __atomic_compare_exchange_n(&word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/// Flips bits. The caller owns them, so it knows what they become.
[[gnu::always_inline]] inline void flip(bool is_alone, uint64_t& word, uint64_t bits) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        __asm__("xorq %1, %0" : "+m"(word) : "r"(bits) : "cc");
        return;
    }
#else
    (void)is_alone;
#endif
    __atomic_fetch_xor(&word, bits, __ATOMIC_ACQ_REL);
}

/// Adds and gives the value before.
[[gnu::always_inline]] inline uint64_t fetch_add(bool is_alone, uint64_t& word, uint64_t amount) {
#if MALLOOM_UNLOCKED_WORDS
    if (is_alone) [[likely]] {
        __asm__("xaddq %1, %0" : "+m"(word), "+r"(amount) : : "cc");
        return amount;
    }
#else
    (void)is_alone;
#endif
    return __atomic_fetch_add(&word, amount, __ATOMIC_ACQ_REL);
}

/// Adds to a word that one thread and its signal handlers alone use, by one instruction, which gives nothing
/// back: so what it stores reaches later loads as quickly as a plain store's.
[[gnu::always_inline]] inline void add_in_thread(uint64_t& word, int64_t amount) {
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(word) : "er"(amount) : "memory", "cc");
#else
    __atomic_fetch_add(&word, static_cast<uint64_t>(amount), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

}  // namespace malloom::structures
