// The simulated core: the processor as Verilator makes it of its Verilog, with memory and devices at its
// buses, cycle by cycle.
#pragma once

#include <stdint.h>

#include <memory>
#include <string>

#include "firmware/simulated_core/bus.h"
#include "firmware/simulated_core/cycles_by_address.h"
#include "firmware/simulated_core/devices.h"
#include "firmware/simulated_core/memory.h"
#include "firmware/simulated_core/second_level.h"
#include "firmware/simulated_core/shared_bus.h"

class Vsimulated_core;
class VerilatedContext;

namespace malloom::simulated_core {

class Core {
  public:
    /// What a core has around it, and its number on the bus that it shares. All outlive the core. Without a
    /// profile, null, none is made.
    struct Surroundings {
        Memory& memory;
        Devices& devices;
        SecondLevel& second_level;
        SharedBus& shared;
        unsigned number;
        CyclesByAddress* profile;
    };

    Core(const Surroundings& around, const Latency& latency);
    ~Core();

    /// The program begins at the address with the next cycle.
    void reset(uint32_t entry);
    /// Whether it has neither exited nor done what no memory or device answers.
    bool runs() const { return !devices_.has_exited() && fault_.empty(); }
    /// A cycle is two halves. At first the core says what it asks the shared bus for, which takes its turn
    /// when all cores have asked; then it is answered.
    void rise();
    void settle();

    uint64_t cycles() const { return cycles_; }
    /// What was wrong; empty where nothing was.
    const std::string& fault() const { return fault_; }
    const Traffic& fetches() const { return fetch_bus_.traffic(); }
    const Traffic& accesses() const { return data_bus_.traffic(); }

  private:
    /// Its two ports on the shared bus.
    unsigned fetch_port() const { return 2 * number_; }
    unsigned data_port() const { return fetch_port() + 1; }

    bool is_answered(Bus& bus, unsigned port, const Bus::Request& request);
    void answer_fetch();
    void answer_access();
    void read(uint32_t address);
    void write(uint32_t address, uint32_t data, unsigned lanes);
    void refuse(const char* what, uint32_t address);

    Memory& memory_;
    Devices& devices_;
    SharedBus& shared_;
    unsigned number_;
    CyclesByAddress* profile_;
    Bus fetch_bus_;
    Bus data_bus_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vsimulated_core> model_;
    uint64_t cycles_ = 0;
    std::string fault_;
};

}  // namespace malloom::simulated_core
