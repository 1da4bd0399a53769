#include "firmware/simulated_core/shared_bus.h"

#include <algorithm>

namespace malloom::simulated_core {

SharedBus::SharedBus(const Settings& settings, unsigned ports)
    : latency_(settings.latency),
      words_((settings.bytes + CORE_LINE - 1) / CORE_LINE * CORE_LINE / sizeof(uint32_t)),
      banks_(settings.banks),
      asked_(ports, none) {}

void SharedBus::turn() {
    is_busy_ = false;
    for (unsigned number = 0; number < banks_.size(); ++number) turn_of(number);
    for (unsigned port = 0; port < asked_.size(); ++port) {
        if (asked_[port] == none) continue;
        traffic_.waits += banks_[static_cast<unsigned>(asked_[port])].port != static_cast<int>(port);
    }
    // Who is answered in this cycle has asked in it; answers() looks at the bank alone.
    std::fill(asked_.begin(), asked_.end(), none);
    is_asked_ = false;
}

// A core that has exited asks no more, and loses its turn.
void SharedBus::turn_of(unsigned number) {
    Bank& bank = banks_[number];
    if (bank.port != none && asked_[static_cast<unsigned>(bank.port)] != static_cast<int>(number)) {
        bank.port = none;
    }
    if (bank.port == none) {
        bank.port = next_port(number, bank.last);
        if (bank.port == none) return;
        bank.last = static_cast<unsigned>(bank.port);
        bank.left = latency_;
        ++traffic_.accesses;
    }
    --bank.left;
    is_busy_ = true;
}

int SharedBus::next_port(unsigned bank, unsigned last) const {
    for (unsigned step = 1; step <= asked_.size(); ++step) {
        const unsigned port = (last + step) % static_cast<unsigned>(asked_.size());
        if (asked_[port] == static_cast<int>(bank)) return static_cast<int>(port);
    }
    return none;
}

bool SharedBus::answers(unsigned port, uint32_t address, bool is_last) {
    Bank& bank = banks_[bank_of(address)];
    if (bank.port != static_cast<int>(port) || bank.left != 0) return false;
    // The further words of a line follow one a cycle, and nobody else's turn comes between.
    bank.left = 1;
    if (is_last) bank.port = none;
    return true;
}

bool SharedBus::read(uint32_t address, uint32_t& data) {
    if (is_lock(address)) {
        const size_t lock = (address - CORE_LOCKS) / sizeof(uint32_t);
        data = !taken_[lock];
        taken_[lock] = true;
        return true;
    }
    const uint32_t* const found = word(address);
    if (found != nullptr) data = *found;
    return found != nullptr;
}

bool SharedBus::write(uint32_t address, uint32_t data, uint32_t mask) {
    if (is_lock(address)) {
        taken_[(address - CORE_LOCKS) / sizeof(uint32_t)] = false;
        return true;
    }
    uint32_t* const found = word(address);
    if (found != nullptr) *found = (*found & ~mask) | (data & mask);
    return found != nullptr;
}

}  // namespace malloom::simulated_core
