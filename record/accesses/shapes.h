// Shapes of the process's code: how the shape of a piece of a block is found, and the table of all shapes,
// each once. Blocks that are built again, or whose code does the same, share one.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::accesses {

/// Bounds on the whole process's code; what exceeds them is not recorded.
constexpr uint32_t most_shapes = 1u << 18;
constexpr uint32_t most_slots = 1u << 20;

/// Number of "no shape": nothing is recorded.
constexpr uint32_t no_shape = 0;

bool init_shapes();

/// The shape of an id. Valid for good.
const stream::AccessShape& shape(uint32_t id);

/// Id of what is left of a shape without the bases of `dropped` (bit i: base i); no_shape when nothing is, or
/// when a bound is reached. Any thread; may take a lock.
uint32_t shape_without(uint32_t id, uint64_t dropped);

/// A base: registers whose values have not changed since it was stored.
struct SharedBase {
    reg_id_t base, index;
    int scale;
    bool valid;
};

/// Finds the shape of a piece of a block while its instructions pass by: which accesses share a base. Plain
/// data: lives in a block's user data.
class ShapeBuilder {
  public:
    void begin() { bases_ = count_ = 0; }
    bool full() const {
        return bases_ == stream::AccessShape::most_bases || count_ + 2 > stream::AccessShape::most_accesses;
    }

    /// Number of the base that an operand can share, or -1.
    int find(opnd_t operand) const;

    /// Adds a base for an operand. One that is not `shareable` serves no other operand.
    unsigned add_base(opnd_t operand, bool shareable);

    void add_access(unsigned base, int offset, unsigned tag);

    /// To be called after an instruction's accesses: bases over registers that it writes are no longer
    /// shared.
    void pass(instr_t* instr);

    /// Id of the shape with the accesses that were added; no_shape when there are none, or when a bound is
    /// reached. Any thread; may take a lock.
    uint32_t finish() const;

  private:
    SharedBase shared_[stream::AccessShape::most_bases];
    stream::ShapedAccess accesses_[stream::AccessShape::most_accesses];
    unsigned bases_;
    unsigned count_;
};

}  // namespace malloom::accesses
