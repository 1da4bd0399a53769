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

class Vsimulated_core;
class VerilatedContext;

namespace malloom::simulated_core {

class Core {
  public:
    /// All outlive the core. Without a profile, null, none is made.
    Core(Memory& memory, Devices& devices, SecondLevel& second_level, const Latency& latency,
         CyclesByAddress* profile);
    ~Core();

    /// Runs the program that begins at the address, until it exits, does what no memory or device answers, or
    /// has taken so many cycles.
    void run(uint32_t entry, uint64_t most_cycles);

    uint64_t cycles() const { return cycles_; }
    /// What was wrong; empty where nothing was.
    const std::string& fault() const { return fault_; }
    const Traffic& fetches() const { return fetch_bus_.traffic(); }
    const Traffic& accesses() const { return data_bus_.traffic(); }

  private:
    void reset(uint32_t entry);
    void step();
    void answer_fetch();
    void answer_access();
    void read(uint32_t address);
    void write(uint32_t address, uint32_t data, unsigned lanes);
    void refuse(const char* what, uint32_t address);

    Memory& memory_;
    Devices& devices_;
    CyclesByAddress* profile_;
    Bus fetch_bus_;
    Bus data_bus_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vsimulated_core> model_;
    uint64_t cycles_ = 0;
    std::string fault_;
};

}  // namespace malloom::simulated_core
