// The staging folder seen from outside: which files there are, and the chunks that they would become.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "formats/profile.h"

namespace malloom::stream {

/// One file of PROFILE.staging.
struct StageFile {
    std::string path;
    uint64_t process = 0;
    bool of_process = false;  ///< the process's own file, not a thread's
};

/// The staging files of a profile, by process in the order of their start; the process's own file before its
/// other threads'.
std::vector<StageFile> list_stage_files(const std::string& profile_path);

/// What a staging file holds.
struct StagedChunks {
    std::vector<std::vector<unsigned char>> chunks;  ///< uncompressed, in the order in which they belong
    formats::profile::ProcessState state = formats::profile::ProcessState::recording;  ///< of_process only
    uint64_t dropped = 0;                                                              ///< of_process only
};

/// Reads a file into the chunks that its contexts and records make. From the first record on that cannot be
/// one they make a chunk that does not decode, so that readers know of the damage. False when it is not a
/// whole staging file of this version (one whose process was killed while it created the file, for one).
bool read_stage_file(const StageFile& file, StagedChunks& staged);

/// The end chunk of a process whose recording ended so. `dropped`: events that could not be recorded.
std::vector<unsigned char> make_end_chunk(uint64_t process, formats::profile::ProcessState state,
                                          uint64_t dropped);

/// True while the process that stages in this file lives (it has the file mapped).
bool stages_now(const StageFile& file);

/// True while the process with this identity lives, or a later one of its pid, and has the recorder loaded.
bool has_recorder_now(uint64_t process);

}  // namespace malloom::stream
