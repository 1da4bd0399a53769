// malloom-core: runs a program on the simulated core (options.cpp has its help).
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <memory>

#include "firmware/simulated_core/addresses.h"
#include "firmware/simulated_core/cluster.h"
#include "firmware/simulated_core/failure.h"
#include "firmware/simulated_core/options.h"
#include "firmware/simulated_core/program.h"

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

void show_traffic(const Node& node) {
    show("instructions", node.core->fetches());
    show("data", node.core->accesses());
    if (!node.second_level.is_there()) return;
    fprintf(stderr, "second level: %" PRIu64 " hits, %" PRIu64 " misses\n", node.second_level.hits(),
            node.second_level.misses());
}

void show_traffic(const Cluster& cluster) {
    fprintf(stderr, "cycles: %" PRIu64 "\n", cluster.cycles());
    for (const auto& node : cluster.nodes()) show_traffic(*node);
    const SharedBus::Traffic& shared = cluster.shared().traffic();
    if (cluster.nodes().size() == 1 && shared.accesses == 0) return;
    fprintf(stderr, "shared: %" PRIu64 " accesses, %" PRIu64 " cycles waited\n", shared.accesses,
            shared.waits);
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
    const Devices::Places places = {
        memory_end, options.data_begin, load_data(memory, options),
        0,          options.cores,      static_cast<uint32_t>(options.shared.bytes)};
    const auto profile = options.profile.empty() ? nullptr : std::make_unique<CyclesByAddress>();
    Cluster cluster({options.cores, options.latency, options.second_level_bytes, options.shared}, memory,
                    places, profile.get());
    cluster.run(entry, options.most_cycles);
    fflush(stdout);
    if (profile != nullptr) write_profile(*profile, options.profile);
    if (options.shows_traffic) show_traffic(cluster);
    if (const std::string fault = cluster.fault(); !fault.empty()) fail(faulted, fault);
    if (!cluster.has_exited()) {
        fail(hung, "the program was ended after " + std::to_string(cluster.cycles()) + " cycles (--limit)");
    }
    return cluster.exit_status();
}
