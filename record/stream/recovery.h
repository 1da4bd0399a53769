// Turns what processes have left staged into chunks of the profile.
#pragma once

#include <stdint.h>

#include <string>

namespace malloom::stream {

/// How a profile stands after recover().
struct Recovery {
    std::string problem;         ///< why it failed, in one line; empty when it did not
    uint64_t processes = 0;      ///< process images in the profile
    uint64_t contexts = 0;       ///< contexts of all of them
    uint64_t events = 0;         ///< allocation events of all of them
    uint64_t dropped = 0;        ///< events that could not be recorded
    uint64_t living = 0;         ///< processes that still record
    bool limit_reached = false;  ///< some recording stopped at the maximum size
    bool write_failed = false;   ///< some recording stopped because the profile could not be written
    uint64_t file_bytes = 0;     ///< size of the profile
};

/// Creates an empty profile and its staging folder, `created` in ns since 1970. Returns the problem, or an
/// empty string. An existing file is replaced.
std::string create_profile(const std::string& path, uint64_t created);

/// Appends the staged chunks of processes that have ended and removes their files; what was appended before
/// is not appended again, so it may be interrupted and repeated at any time. `maximum_bytes` (0: none) is
/// kept. With `finish`, when no process records any more, removes the folder and cuts off a torn last chunk;
/// without it nothing is counted, and what finds no room now is tried again.
Recovery recover(const std::string& path, uint64_t maximum_bytes, bool finish);

/// The same of the profile of a window that was closed a while ago, so that nobody writes to it any more:
/// what living processes have staged is taken too, and theirs end with the window.
Recovery recover_window(const std::string& path, uint64_t maximum_bytes);

}  // namespace malloom::stream
