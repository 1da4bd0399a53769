// The devices of the simulated core: what it prints, how it ends, what it is told of its memory, and a timer.
#pragma once

#include <stdint.h>

namespace malloom::simulated_core {

class Devices {
  public:
    struct Places {
        uint32_t memory_end;
        uint32_t data_begin;
        uint32_t data_bytes;  ///< 0 without data
        uint32_t number;      ///< of the core
        uint32_t cores;
        uint32_t shared_bytes;
    };

    explicit Devices(const Places& places) : places_(places) {}

    /// False where the address is no device's that can be read.
    bool read(uint32_t address, uint32_t& word) const;
    /// The same, written.
    bool write(uint32_t address, uint32_t word);

    /// A cycle has passed. Whether the timer interrupts now.
    bool tick() {
        if (timer_ != 0) {
            --timer_;
            interrupts_ = timer_ == 0;
        }
        return interrupts_;
    }

    bool has_exited() const { return has_exited_; }
    /// As far as a process can have it: the low byte, and never 0 for a status that is not.
    int exit_status() const;

  private:
    Places places_;
    bool has_exited_ = false;
    uint32_t exit_word_ = 0;
    uint32_t timer_ = 0;  ///< cycles until it interrupts
    bool interrupts_ = false;
};

}  // namespace malloom::simulated_core
