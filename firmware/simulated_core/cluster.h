// Cores that run one program, each in memory and with devices of its own, and what they share. They go on in
// step, a cycle at a time, so that every run is the same.
#pragma once

#include <stdint.h>

#include <memory>
#include <string>
#include <vector>

#include "firmware/simulated_core/core.h"
#include "firmware/simulated_core/shared_bus.h"

namespace malloom::simulated_core {

/// A core with what is its own.
struct Node {
    Node(Memory own, const Devices::Places& places, uint64_t second_level_bytes)
        : memory(std::move(own)), devices(places), second_level(second_level_bytes) {}

    Memory memory;
    Devices devices;
    SecondLevel second_level;
    std::unique_ptr<Core> core;
};

class Cluster {
  public:
    static constexpr unsigned most_cores = 64;

    struct Settings {
        unsigned cores;
        Latency latency;
        uint64_t second_level_bytes;  ///< of each core; 0 without
        SharedBus::Settings shared;
    };

    /// Each core gets the memory as it is, with the program and its data in it. The profile, which may be
    /// null, is of the first core, and outlives the cluster.
    Cluster(const Settings& settings, const Memory& memory, const Devices::Places& places,
            CyclesByAddress* profile);

    /// Runs the program that begins at the address, until all cores have exited, one of them with another
    /// status than 0 or with a fault, or it has taken so many cycles.
    void run(uint32_t entry, uint64_t most_cycles);

    uint64_t cycles() const { return cycles_; }
    /// Whether it has ended by itself.
    bool has_exited() const { return running_.empty() || has_failed_; }
    /// 0 where all cores have exited with that, else what the first that did not has exited with.
    int exit_status() const;
    /// What was wrong; empty where nothing was.
    std::string fault() const;
    const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
    const SharedBus& shared() const { return shared_; }

  private:
    void step();
    void leave_out_ended();

    SharedBus shared_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Node*> running_;
    bool has_failed_ = false;
    uint64_t cycles_ = 0;
};

}  // namespace malloom::simulated_core
