// malloom-core: runs a program on the simulated core (options.cpp has its help).
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <memory>

#include "firmware/simulated_core/addresses.h"
#include "firmware/simulated_core/core.h"
#include "firmware/simulated_core/failure.h"
#include "firmware/simulated_core/options.h"
#include "firmware/simulated_core/program.h"
#include "firmware/simulated_core/second_level.h"

namespace {

using namespace malloom::simulated_core;

// Into memory that there is, or into some of its own. Its length.
uint32_t load_data(Memory& memory, const Options& options) {
    if (options.data.empty()) return 0;
    const std::string content = read_file(options.data);
    const uint32_t begin = options.data_begin;
    if (!memory.write(begin, content) &&
        !(memory.add(begin, content.size()) && memory.write(begin, content))) {
        fail(bad_use, options.data + " cannot lie there: give another address after its @");
    }
    return static_cast<uint32_t>(content.size());
}

void show(const char* what, const Traffic& traffic) {
    fprintf(stderr, "%s: %" PRIu64 " lines, %" PRIu64 " words read, %" PRIu64 " written\n", what,
            traffic.bursts, traffic.reads, traffic.writes);
}

void show_traffic(const Core& core, const SecondLevel& second_level) {
    fprintf(stderr, "cycles: %" PRIu64 "\n", core.cycles());
    show("instructions", core.fetches());
    show("data", core.accesses());
    if (!second_level.is_there()) return;
    fprintf(stderr, "second level: %" PRIu64 " hits, %" PRIu64 " misses\n", second_level.hits(),
            second_level.misses());
}

void write_profile(const CyclesByAddress& profile, const std::string& path) {
    FILE* const file = fopen(path.c_str(), "w");
    if (file == nullptr) fail(bad_use, "cannot write " + path + ": " + strerror(errno));
    profile.print(file);
    if (fclose(file) != 0) fail(bad_use, "cannot write " + path + ": " + strerror(errno));
}

}  // namespace

int main(int count, char** words) {
    const Options options = read_options(count, words);
    Memory memory;
    if (!memory.add(CORE_MEMORY, options.memory_bytes)) {
        fail(bad_use,
             "there is no room for so much memory: at most 1792M, and 768M with data at its usual place");
    }
    const uint32_t entry = load_program(memory, options.program);
    const auto memory_end = static_cast<uint32_t>(CORE_MEMORY + options.memory_bytes);
    Devices devices({memory_end, options.data_begin, load_data(memory, options)});
    const auto profile = options.profile.empty() ? nullptr : std::make_unique<CyclesByAddress>();
    SecondLevel second_level(options.second_level_bytes);
    Core core(memory, devices, second_level, options.latency, profile.get());
    core.run(entry, options.most_cycles);
    fflush(stdout);
    if (profile != nullptr) write_profile(*profile, options.profile);
    if (options.shows_traffic) show_traffic(core, second_level);
    if (!core.fault().empty()) fail(faulted, core.fault());
    if (!devices.has_exited()) {
        fail(hung, "the program was ended after " + std::to_string(core.cycles()) + " cycles (--limit)");
    }
    return devices.exit_status();
}
