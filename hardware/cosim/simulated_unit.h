// The chunk unit of hardware/rtl as Verilator makes it, driven through its two handshakes. The template's
// argument is the class that Verilator writes, so that units of other geometries are driven alike.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <memory>

#include "hardware/model/request.h"

namespace malloom::hardware {

/// Cycles for which one side lets the other wait: before a request is made, and before its answer is taken.
struct Stalls {
    unsigned request = 0;
    unsigned response = 0;
};

template <class Model>
class SimulatedUnit {
  public:
    SimulatedUnit() : context_(new VerilatedContext), model_(new Model(context_.get())) { reset(); }
    ~SimulatedUnit() { model_->final(); }
    SimulatedUnit(const SimulatedUnit&) = delete;
    SimulatedUnit& operator=(const SimulatedUnit&) = delete;

    /// In the middle of whatever it does.
    void reset() {
        model_->request_valid_i = 0;
        model_->response_ready_i = 0;
        model_->reset_i = 1;
        step();
        model_->reset_i = 0;
        model_->eval();
    }

    /// The answer to a request, after such stalls.
    uint32_t answer(const Request& request, Stalls stalls = {}) {
        for (unsigned cycle = 0; cycle < stalls.request; ++cycle) step();
        offer(request);
        while (!accepts()) step();
        step();
        model_->request_valid_i = 0;
        return take(stalls.response);
    }

    /// The same without a stall anywhere: a cycle a request, as it takes the last answer in the cycle of the
    /// next request. Only the next of these calls takes the answer.
    uint32_t answer_at_once(const Request& request) {
        model_->response_ready_i = 1;
        offer(request);
        step();
        model_->request_valid_i = 0;
        return model_->response_o;
    }

    /// Puts a request at the ports, without a step of the clock.
    void offer(const Request& request) {
        model_->request_valid_i = 1;
        model_->opcode_i = request.opcode;
        model_->class_i = request.size_class;
        model_->word_i = request.word;
        model_->data_i = request.data;
        model_->eval();
    }

    void withdraw() {
        model_->request_valid_i = 0;
        model_->eval();
    }

    bool accepts() const { return model_->request_ready_o != 0; }
    bool has_answer() const { return model_->response_valid_o != 0; }

    /// Waits for the answer and takes it, so many cycles after it is there.
    uint32_t take(unsigned late = 0) {
        while (!has_answer()) step();
        for (unsigned cycle = 0; cycle < late; ++cycle) step();
        const uint32_t found = model_->response_o;
        model_->response_ready_i = 1;
        step();
        model_->response_ready_i = 0;
        model_->eval();
        return found;
    }

    void step() {
        model_->clk_i = 1;
        model_->eval();
        model_->clk_i = 0;
        model_->eval();
        ++cycles_;
    }

    uint64_t cycles() const { return cycles_; }

  private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Model> model_;
    uint64_t cycles_ = 0;
};

}  // namespace malloom::hardware
