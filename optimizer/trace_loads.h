// The loads of a trace that are worth profiling (paper, section 3), and what the trace says of their
// addresses.
#pragma once

#include <dr_api.h>
#include <stddef.h>

#include "optimizer/options.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

/// Loads of one address, up to their displacements: the same registers, not written between them. They share
/// a profile and a prefetch; `first` stands for all.
struct AddressGroup {
    instr_t* first;
    app_pc load;     ///< of `first`
    opnd_t operand;  ///< its memory operand
    reg_id_t base, index;
    unsigned base_version, index_version;  ///< how many writes of the register went before
    /// The group one of whose loads produces this one's base or index; most_loads: none of this trace.
    size_t producer;
    reg_id_t produced;   ///< which of the two registers
    instr_t* producing;  ///< that load
};

/// The groups of a trace, in program order.
class TraceLoads {
  public:
    TraceLoads(instrlist_t* trace, const Options& options);

    size_t count() const { return count_; }
    const AddressGroup& operator[](size_t i) const { return groups_[i]; }

    /// The group that the load at `pc` stands for; count() if there is none.
    size_t find(app_pc pc) const;

    static constexpr size_t most = TraceProfile::most_loads;

  private:
    void take(instr_t* instr, opnd_t operand);
    void pass(instr_t* instr);
    bool is_profiled(instr_t* instr, opnd_t operand) const;
    size_t group_of(const AddressGroup& wanted) const;
    void find_producer(AddressGroup& group) const;

    struct Register {
        unsigned version = 0;
        size_t producer = most;  ///< group of the load that wrote it last
        instr_t* producing = nullptr;
    };
    Register& state(reg_id_t reg) { return registers_[reg - DR_REG_START_64]; }
    const Register& state(reg_id_t reg) const { return registers_[reg - DR_REG_START_64]; }

    const Options& options_;
    AddressGroup groups_[most];
    size_t count_ = 0;
    size_t last_taken_ = most;  ///< the group of the load that is being passed
    Register registers_[DR_NUM_GPR_REGS];
};

}  // namespace malloom::optimizer
