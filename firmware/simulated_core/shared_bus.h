// What all cores reach, from CORE_LOCKS on: locks, and memory that they do not cache. Each bank of it does
// one access at a time. Who asks waits for the turn of its port: after a port comes the next higher one that
// asks, so that none waits for ever.
#pragma once

#include <stdint.h>

#include <bitset>
#include <vector>

#include "firmware/simulated_core/addresses.h"

namespace malloom::simulated_core {

class SharedBus {
  public:
    static constexpr unsigned most_banks = 64;

    struct Settings {
        uint64_t bytes;    ///< of the memory
        unsigned latency;  ///< in cycles: of an access whose turn it is, and of the first word of a line
        unsigned banks;    ///< a line lies in one, the next line in the next one
    };

    struct Traffic {
        uint64_t accesses = 0;  ///< a line that instructions are read of is one
        uint64_t waits = 0;     ///< cycles of ports that wait for their turn
    };

    SharedBus(const Settings& settings, unsigned ports);

    static bool has(uint32_t address) { return address >= CORE_LOCKS; }
    /// Whether memory of so many bytes has room.
    static bool can_have(uint64_t bytes) { return bytes <= uint64_t{UINT32_MAX} + 1 - CORE_SHARED; }

    /// What a port asks for in this cycle; no matter where it is not this bus that has it.
    void ask(unsigned port, uint32_t address) {
        if (!has(address)) return;
        asked_[port] = static_cast<int>(bank_of(address));
        is_asked_ = true;
    }
    /// A cycle goes on, once all have asked.
    void take_turns() {
        if (is_asked_ || is_busy_) turn();
    }
    /// Whether what the port asked for in this cycle is answered in it. Said once a cycle.
    bool answers(unsigned port, uint32_t address, bool is_last);

    /// The word of memory that holds the address; null where there is none.
    uint32_t* word(uint32_t address) {
        const uint32_t index = (address - CORE_SHARED) / sizeof(uint32_t);
        return address >= CORE_SHARED && index < words_.size() ? &words_[index] : nullptr;
    }
    /// False where there is nothing. Of a lock it is what takes it.
    bool read(uint32_t address, uint32_t& data);
    bool write(uint32_t address, uint32_t data, uint32_t mask);

    const Traffic& traffic() const { return traffic_; }

  private:
    static constexpr int none = -1;

    struct Bank {
        int port = none;    ///< whose turn it is
        unsigned last = 0;  ///< whose turn was before
        unsigned left = 0;  ///< cycles until it is answered
    };

    unsigned bank_of(uint32_t address) const { return address / CORE_LINE % banks_.size(); }
    void turn();
    void turn_of(unsigned number);
    int next_port(unsigned bank, unsigned last) const;
    static bool is_lock(uint32_t address) {
        return address - CORE_LOCKS < CORE_LOCK_COUNT * sizeof(uint32_t);
    }

    unsigned latency_;
    std::vector<uint32_t> words_;
    std::bitset<CORE_LOCK_COUNT> taken_;
    std::vector<Bank> banks_;
    std::vector<int> asked_;  ///< the bank that each port asks for in this cycle, or none
    bool is_asked_ = false;
    bool is_busy_ = false;  ///< it is some port's turn
    Traffic traffic_;
};

}  // namespace malloom::simulated_core
