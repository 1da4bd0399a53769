#include "firmware/simulated_core/cluster.h"

#include <utility>

namespace malloom::simulated_core {

Cluster::Cluster(const Settings& settings, const Memory& memory, const Devices::Places& places,
                 CyclesByAddress* profile)
    : shared_(settings.shared, 2 * settings.cores) {
    for (unsigned number = 0; number < settings.cores; ++number) {
        Devices::Places own = places;
        own.number = number;
        auto node = std::make_unique<Node>(memory, own, settings.second_level_bytes);
        const Core::Surroundings around = {node->memory, node->devices, node->second_level,
                                           shared_,      number,        number == 0 ? profile : nullptr};
        node->core = std::make_unique<Core>(around, settings.latency);
        nodes_.push_back(std::move(node));
    }
}

void Cluster::run(uint32_t entry, uint64_t most_cycles) {
    for (const auto& node : nodes_) {
        node->core->reset(entry);
        running_.push_back(node.get());
    }
    while (cycles_ < most_cycles && !has_exited()) step();
}

void Cluster::step() {
    for (Node* const node : running_) node->core->rise();
    shared_.take_turns();
    bool goes_on = true;
    for (Node* const node : running_) {
        node->core->settle();
        goes_on = goes_on && node->core->runs();
    }
    ++cycles_;
    if (!goes_on) leave_out_ended();
}

void Cluster::leave_out_ended() {
    std::erase_if(running_, [this](Node* node) {
        has_failed_ = has_failed_ || !node->core->fault().empty() || node->devices.exit_status() != 0;
        return !node->core->runs();
    });
}

int Cluster::exit_status() const {
    for (const auto& node : nodes_) {
        if (node->devices.exit_status() != 0) return node->devices.exit_status();
    }
    return 0;
}

std::string Cluster::fault() const {
    for (unsigned number = 0; number < nodes_.size(); ++number) {
        const std::string& fault = nodes_[number]->core->fault();
        if (fault.empty()) continue;
        return nodes_.size() == 1 ? fault : "core " + std::to_string(number) + ": " + fault;
    }
    return {};
}

}  // namespace malloom::simulated_core
