// Bursts of the threads of all processes that a window records, as many as the share allows, into the
// window's profile.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "record/stepping/burst.h"
#include "record/stepping/instructions.h"
#include "record/stepping/processes.h"
#include "record/stream/profile_file.h"

namespace malloom::stepping {

/// What is asked for.
struct Options {
    std::string profile;         ///< of the window, which is open
    uint64_t maximum_bytes = 0;  ///< of the profile; 0: no limit
    double share = 0;            ///< of the processes' CPU time, for this process, once it has started, and
                                 ///< for stops of theirs
    std::string recorder;        ///< end of the path of the recorder of requests
    RecorderWords words;
};

/// What has been done.
struct Totals {
    uint64_t accesses = 0;
    uint64_t bursts = 0;
    uint64_t stopped = 0;  ///< CPU nanoseconds that the stops took in the processes
    bool is_refused = false;
};

class Sampling {
  public:
    /// False, with errno, where the profile cannot be written.
    bool open(const Options& options);

    /// Goes on until `is_over` is set, the profile is full, or the system refuses.
    Totals run(const volatile bool& is_over);

  private:
    /// CPU nanoseconds of a process when it was first seen, and since.
    struct Used {
        uint64_t first;
        uint64_t now;
    };

    void look_at_processes();
    void look_at_times();
    bool take_one();
    void note_refusal(bool is_one);
    bool write(const RecordedProcess& process, pid_t thread);
    uint64_t allowed() const;
    uint64_t spent() const;

    Options options_;
    Totals totals_;
    stream::ProfileFile profile_;
    Instructions instructions_;
    std::vector<RecordedProcess> processes_;
    std::map<uint64_t, Used> used_;  ///< by identity
    std::map<std::pair<uint64_t, pid_t>, uint32_t> chunks_;
    std::vector<uint64_t> entries_;
    std::vector<unsigned char> payload_, chunk_;
    uint64_t random_ = 0x9e3779b97f4a7c15u;
    uint64_t began_ = 0;  ///< this process's CPU time then
    size_t next_ = 0;
    unsigned refusals_ = 0;
    bool is_full_ = false;
};

}  // namespace malloom::stepping
