// Finds the shape of a piece of a block while its instructions pass by: which accesses share a base.
#pragma once

#include <dr_api.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::accesses {

/// A base: registers whose values have not changed since it was stored.
struct SharedBase {
    reg_id_t base, index;
    int scale;
    bool valid;
};

/// Plain data: lives in a block's user data.
class ShapeBuilder {
  public:
    void begin() { bases_ = count_ = 0; }
    bool full() const {
        return bases_ == stream::AccessShape::most_bases || count_ + 2 > stream::AccessShape::most_accesses;
    }
    unsigned bases() const { return bases_; }

    /// Number of the base that an operand can share, or -1.
    int find(opnd_t operand) const;

    /// Adds a base for an operand. One that is not `shareable` serves no other operand.
    unsigned add_base(opnd_t operand, bool shareable);

    void add_access(unsigned base, int offset, unsigned tag);

    /// To be called after an instruction's accesses: bases over registers that it writes are no longer
    /// shared.
    void pass(instr_t* instr);

    /// Registers what was added. no_shape when that is nothing.
    uint32_t finish() const;

  private:
    SharedBase shared_[stream::AccessShape::most_bases];
    stream::ShapedAccess accesses_[stream::AccessShape::most_accesses];
    unsigned bases_;
    unsigned count_;
};

}  // namespace malloom::accesses
