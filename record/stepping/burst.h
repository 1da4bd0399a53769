// Some instructions of a thread, one after the other, with what they load and store.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <vector>

#include "record/stepping/instructions.h"
#include "record/stepping/processes.h"

namespace malloom::stepping {

/// How a burst went.
enum class Taken : uint8_t {
    some,     ///< there may be accesses
    nothing,  ///< the thread was just where no step is made
    refused,  ///< the system does not let this process look into the other; errno says why
};

/// Instructions of one burst at most: few enough for a pause that its user does not notice.
inline constexpr unsigned most_steps = 250;

/// Where the recorder of requests has words of its own, from where it is loaded on.
struct RecorderWords {
    uintptr_t tickets = 0;   ///< how many requests there were
    uintptr_t identity = 0;  ///< of the process, as in ChunkHeader
};

/// Stops the thread, and fills `entries` (see AccessKind in formats/profile.def) with a gap and the accesses
/// of the instructions that it runs next. A burst ends early where the thread asks for memory or for
/// something of the system, where it gets a signal, or where a step would show.
Taken take_burst(const RecordedProcess& process, pid_t thread, const RecorderWords& words,
                 Instructions& instructions, std::vector<uint64_t>& entries);

}  // namespace malloom::stepping
