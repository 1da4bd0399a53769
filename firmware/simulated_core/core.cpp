#include "firmware/simulated_core/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <verilated.h>

#include <Vsimulated_core.h>
#include "firmware/simulated_core/addresses.h"

namespace malloom::simulated_core {

namespace {

constexpr unsigned reset_cycles = 4;
constexpr unsigned all_lanes = 0xf;

// The bits of the bytes that a write changes.
uint32_t mask_of(unsigned lanes) {
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < 4; ++lane) mask |= (lanes >> lane & 1) != 0 ? 0xffu << 8 * lane : 0;
    return mask;
}

}  // namespace

Core::Core(Memory& memory, Devices& devices, SecondLevel& second_level, const Latency& latency,
           CyclesByAddress* profile)
    : memory_(memory),
      devices_(devices),
      profile_(profile),
      fetch_bus_(latency, second_level),
      data_bus_(latency, second_level),
      context_(new VerilatedContext),
      model_(new Vsimulated_core(context_.get())) {}

Core::~Core() {
    model_->final();
}

void Core::run(uint32_t entry, uint64_t most_cycles) {
    reset(entry);
    while (cycles_ < most_cycles && !devices_.has_exited() && fault_.empty()) step();
}

void Core::reset(uint32_t entry) {
    model_->entry_i = entry;
    model_->reset_i = 1;
    for (unsigned cycle = 0; cycle < reset_cycles; ++cycle) step();
    model_->reset_i = 0;
    cycles_ = 0;
}

// At the rising edge the registers take what the inputs were, and the buses show what follows from it. What
// they are answered depends on nothing else, and stands until the next edge.
void Core::step() {
    model_->clk_i = 1;
    model_->eval();
    answer_fetch();
    answer_access();
    model_->timer_i = devices_.tick();
    model_->clk_i = 0;
    model_->eval();
    ++cycles_;
    if (profile_ != nullptr && model_->retires_o != 0) {
        profile_->retire(model_->retired_address_o, {cycles_, fetches().bursts, accesses().bursts});
    }
}

// The core fetches lines that it does not come to execute, so there is nothing wrong yet where no memory is:
// words of zero, which are no instructions.
void Core::answer_fetch() {
    const uint32_t address = model_->fetch_address_o;
    model_->fetch_answer_i =
        fetch_bus_.answers({model_->fetch_request_o != 0, model_->fetch_last_o != 0, false, address});
    if (model_->fetch_answer_i == 0) return;
    const uint32_t* const word = memory_.word(address);
    model_->fetch_data_i = word != nullptr ? *word : 0;
}

void Core::answer_access() {
    const uint32_t address = model_->data_address_o;
    const bool writes = model_->data_write_o != 0;
    model_->data_answer_i =
        data_bus_.answers({model_->data_request_o != 0, model_->data_last_o != 0, writes, address});
    if (model_->data_answer_i == 0) return;
    if (writes) {
        write(address, model_->data_data_o, model_->data_lanes_o);
    } else {
        read(address);
    }
}

void Core::read(uint32_t address) {
    uint32_t data = 0;
    const uint32_t* const word = memory_.word(address);
    if (word != nullptr) {
        data = *word;
    } else if (!devices_.read(address, data)) {
        refuse("read", address);
    }
    model_->data_data_i = data;
}

void Core::write(uint32_t address, uint32_t data, unsigned lanes) {
    uint32_t* const word = memory_.word(address);
    if (word != nullptr) {
        const uint32_t mask = lanes == all_lanes ? ~0u : mask_of(lanes);
        *word = (*word & ~mask) | (data & mask);
    } else if (!devices_.write(address, data)) {
        refuse("wrote", address);
    }
}

void Core::refuse(const char* what, uint32_t address) {
    char text[120];
    snprintf(text, sizeof text,
             "the program %s at 0x%08" PRIx32 ", where there is nothing (cycle %" PRIu64 ")", what, address,
             cycles_);
    fault_ = text;
}

}  // namespace malloom::simulated_core
