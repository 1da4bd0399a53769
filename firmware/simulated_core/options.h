// The command line of malloom-core.
#pragma once

#include <stdint.h>

#include <string>

#include "firmware/simulated_core/addresses.h"
#include "firmware/simulated_core/bus.h"
#include "firmware/simulated_core/shared_bus.h"

namespace malloom::simulated_core {

struct Options {
    Latency latency = {4, 1, 6};
    uint64_t second_level_bytes = 0;  ///< 0 without
    unsigned cores = 1;
    SharedBus::Settings shared = {0, 4, 1};
    uint64_t memory_bytes = uint64_t{16} << 20;
    std::string data;  ///< a file; empty without
    uint32_t data_begin = CORE_DATA;
    uint64_t most_cycles = 2'000'000'000;
    bool shows_traffic = false;
    std::string profile;  ///< a file to write; empty without
    std::string program;
};

/// Prints the help and ends, where that is asked for. Ends with the status of bad use where there is no sense
/// in the arguments.
Options read_options(int count, char** words);

}  // namespace malloom::simulated_core
