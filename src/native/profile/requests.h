// All requests of a process as columns, from one pass over its events.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "src/native/profile/contexts.h"
#include "src/native/profile/recording.h"

namespace malloom::native {

/// One element per request in time order (units: src/malloom/profile/requests.py).
struct RequestTable {
    std::vector<uint64_t> size, birth, death, address;
    std::vector<uint32_t> alignment, context, ordinal, thread;
    std::vector<int64_t> friends;
    uint64_t touches = 0;           ///< annotated accesses among the events
    uint64_t releases_unknown = 0;  ///< releases of objects that no request made
    uint64_t corrupt_chunks = 0;
    bool stopped = false;     ///< the program asked for the recording to stop
    bool overflowed = false;  ///< more requests than numbers for them: the rest is left out
};

/// Streams the events of `process` and resolves them. `contexts` gives each event's context its index.
RequestTable read_requests(const ProcessChunks& process, ContextTable& contexts);

}  // namespace malloom::native
