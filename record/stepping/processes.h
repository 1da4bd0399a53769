// The processes that a window records, and which of their threads run.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace malloom::stepping {

/// Addresses of what is loaded of the recorder of requests.
struct Recorder {
    uintptr_t start = 0;
    uintptr_t end = 0;

    bool contains(uintptr_t address) const { return address >= start && address < end; }
};

/// One that records.
struct RecordedProcess {
    uint64_t identity;  ///< as in ChunkHeader
    pid_t pid;
    Recorder recorder;
};

/// Those that stage in the folder now, by the names of their files; of those that are known already nothing
/// is looked up. Those of another user's are left out, as are those without a recorder that is called
/// `recorder`.
std::vector<RecordedProcess> recorded_processes(const std::string& staging, const std::string& recorder,
                                                const std::vector<RecordedProcess>& known);

/// A thread of the process that runs now, drawn at random among a few; 0 where none does.
pid_t running_thread(pid_t process, uint64_t& random);

/// Nanoseconds; 0 where it is gone.
uint64_t cpu_time_of(pid_t process);
/// The same of one thread.
uint64_t cpu_time_of_thread(pid_t process, pid_t thread);

}  // namespace malloom::stepping
