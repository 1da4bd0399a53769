// Windows of recording: what `malloom record` opens and closes while the program runs, by a word that both
// have mapped. Each window has a profile of its own.
#pragma once

#include <stdint.h>

namespace malloom::record {

/// Maps PROFILE.windows, where the settings ask for windows. False where that cannot be done; nothing is
/// recorded then. Once, before anything else here.
bool find_windows(const char* profile);

/// The word that says which window is open, in the mapped file; nullptr where there are no windows, but one
/// recording from the start to the end.
extern const uint64_t* window_word;

inline bool has_windows() {
    return window_word != nullptr;
}

/// The number of the window that is open; 0: none is, or there are none at all.
inline uint64_t open_window() {
    return window_word == nullptr ? 0 : __atomic_load_n(window_word, __ATOMIC_ACQUIRE);
}

/// The same for who only wants to know whether it has changed.
inline uint64_t window_now() {
    return window_word == nullptr ? 0 : __atomic_load_n(window_word, __ATOMIC_RELAXED);
}

/// Whether there are windows, and none is open: nearly always, where a program is recorded now and then.
inline bool is_asleep() {
    return window_word != nullptr && __atomic_load_n(window_word, __ATOMIC_RELAXED) == 0;
}

/// Whether another process samples the accesses of the window that is open.
bool is_window_sampled();

/// When the first window could have been opened, in ns since 1970: what identities are counted from, so that
/// no two windows of a process have the same.
uint64_t windows_created();

/// Where PROFILE.windows is mapped, and how large; nullptr where there are no windows. Who shortens the file
/// takes the memory away.
const void* window_control();
inline constexpr uint64_t window_control_bytes = 32;

/// The path of a window's profile, which stays until the next but one.
const char* profile_of_window(uint64_t window);

}  // namespace malloom::record
