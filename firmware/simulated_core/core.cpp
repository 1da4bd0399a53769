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

Core::Core(const Surroundings& around, const Latency& latency)
    : memory_(around.memory),
      devices_(around.devices),
      shared_(around.shared),
      number_(around.number),
      profile_(around.profile),
      fetch_bus_(latency, around.second_level),
      data_bus_(latency, around.second_level),
      context_(new VerilatedContext),
      model_(new Vsimulated_core(context_.get())) {}

Core::~Core() {
    model_->final();
}

void Core::reset(uint32_t entry) {
    model_->entry_i = entry;
    model_->reset_i = 1;
    for (unsigned cycle = 0; cycle < reset_cycles; ++cycle) {
        rise();
        settle();
    }
    model_->reset_i = 0;
    cycles_ = 0;
}

// At the rising edge the registers take what the inputs were, and the buses show what follows from it. What
// they are answered depends on nothing else, and stands until the next edge.
void Core::rise() {
    model_->clk_i = 1;
    model_->eval();
    if (model_->fetch_request_o != 0) shared_.ask(fetch_port(), model_->fetch_address_o);
    if (model_->data_request_o != 0) shared_.ask(data_port(), model_->data_address_o);
}

void Core::settle() {
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

bool Core::is_answered(Bus& bus, unsigned port, const Bus::Request& request) {
    if (!request.is_there || !SharedBus::has(request.address)) return bus.answers(request);
    return shared_.answers(port, request.address, request.is_last);
}

// The core fetches lines that it does not come to execute, so there is nothing wrong yet where no memory is:
// words of zero, which are no instructions.
void Core::answer_fetch() {
    const uint32_t address = model_->fetch_address_o;
    model_->fetch_answer_i = is_answered(
        fetch_bus_, fetch_port(), {model_->fetch_request_o != 0, model_->fetch_last_o != 0, false, address});
    if (model_->fetch_answer_i == 0) return;
    const uint32_t* const word = SharedBus::has(address) ? shared_.word(address) : memory_.word(address);
    model_->fetch_data_i = word != nullptr ? *word : 0;
}

void Core::answer_access() {
    const uint32_t address = model_->data_address_o;
    const bool writes = model_->data_write_o != 0;
    model_->data_answer_i = is_answered(
        data_bus_, data_port(), {model_->data_request_o != 0, model_->data_last_o != 0, writes, address});
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
    } else if (!devices_.read(address, data) && !shared_.read(address, data)) {
        refuse("read", address);
    }
    model_->data_data_i = data;
}

void Core::write(uint32_t address, uint32_t data, unsigned lanes) {
    const uint32_t mask = lanes == all_lanes ? ~0u : mask_of(lanes);
    uint32_t* const word = memory_.word(address);
    if (word != nullptr) {
        *word = (*word & ~mask) | (data & mask);
    } else if (!devices_.write(address, data) && !shared_.write(address, data, mask)) {
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
