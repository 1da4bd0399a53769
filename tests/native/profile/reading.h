// Whole profiles read, whatever they are worth.
#pragma once

#include <stdint.h>

#include <fstream>
#include <string>

#include "src/native/profile/accesses.h"
#include "src/native/profile/requests.h"
#include "src/native/survey/usage.h"

namespace malloom::native {

/// How many accesses of a process reached an object.
inline uint64_t count_accesses(const ProcessChunks& process, size_t requests) {
    uint64_t accesses = 0;
    RecordedAccesses source(process);
    for_each_run(
        source, requests, [](uint32_t) {},
        [&](uint32_t, uint64_t count, uint64_t, uint64_t) { accesses += count; });
    return accesses;
}

/// How many accesses of all processes reached an object; `check` is given the requests of each.
template <class Check>
uint64_t read_all(const std::string& path, Check&& check) {
    Recording recording;
    if (!recording.open(path.c_str())) return 0;
    uint64_t accesses = 0;
    for (const ProcessChunks& process : recording.processes()) {
        ContextTable contexts(process);
        const RequestTable table = read_requests(process, contexts);
        contexts.hashes(2);
        check(table);
        accesses += count_accesses(process, table.size.size());
    }
    return accesses;
}

inline uint64_t read_all(const std::string& path) {
    return read_all(path, [](const RequestTable&) {});
}

inline uint64_t resident_pages() {
    std::ifstream statistics("/proc/self/statm");
    uint64_t total = 0, resident = 0;
    statistics >> total >> resident;
    return resident;
}

}  // namespace malloom::native
