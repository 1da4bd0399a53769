// When memory answers the requests of one bus. Each bus has its own way to the second level and the memory:
// the two never wait for each other.
#pragma once

#include <stdint.h>

#include "firmware/simulated_core/addresses.h"
#include "firmware/simulated_core/second_level.h"

namespace malloom::simulated_core {

/// Of the memory, in cycles from the one that the request is made in to the one that it is answered in, both
/// counted: 1 is at once. Devices take 1.
struct Latency {
    unsigned read;   ///< the first word; the further ones of a burst follow one each cycle
    unsigned write;  ///< the core has room for two that wait
    /// Of what the second level holds, in the place of `read`; what it does not hold takes both. A write goes
    /// into it without more time, as into a buffer.
    unsigned second_level;
};

/// What one bus did.
struct Traffic {
    uint64_t bursts = 0;  ///< lines of a cache
    uint64_t reads = 0;   ///< of single words
    uint64_t writes = 0;
};

class Bus {
  public:
    struct Request {
        bool is_there;
        bool is_last;  ///< of its burst
        bool writes;
        uint32_t address;
    };

    /// The second level outlives the bus.
    Bus(const Latency& latency, SecondLevel& second_level) : latency_(latency), second_level_(second_level) {}

    /// Whether this cycle's request is answered in this cycle. Called once a cycle.
    bool answers(const Request& request) {
        if (!request.is_there) return false;
        if (!in_burst_ && waited_ == 0) due_ = latency_of(request);
        if (!in_burst_ && ++waited_ < due_) return false;
        count(request);
        waited_ = 0;
        in_burst_ = !request.is_last;
        return true;
    }

    const Traffic& traffic() const { return traffic_; }

  private:
    unsigned latency_of(const Request& request) {
        if (request.address >= CORE_DEVICES) return 1;
        if (!second_level_.is_there()) return request.writes ? latency_.write : latency_.read;
        const bool held = second_level_.use(request.address);
        if (request.writes) return latency_.write;
        return latency_.second_level + (held ? 0 : latency_.read);
    }

    void count(const Request& request) {
        if (in_burst_) return;
        ++(!request.is_last ? traffic_.bursts : request.writes ? traffic_.writes : traffic_.reads);
    }

    Latency latency_;
    SecondLevel& second_level_;
    Traffic traffic_;
    unsigned waited_ = 0;
    unsigned due_ = 0;
    bool in_burst_ = false;
};

}  // namespace malloom::simulated_core
