// All shapes of the process's code, each once. Blocks that are built again, or whose code does the same,
// share one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/stream/access_shape.h"

namespace malloom::accesses {

/// Bounds on the whole process's code; what exceeds them is not recorded.
constexpr uint32_t most_shapes = 1u << 18;
constexpr uint32_t most_slots = 1u << 20;

/// Number of "no shape": nothing is recorded.
constexpr uint32_t no_shape = 0;

bool init_shape_registry();

/// Id of the shape with these accesses, made if need be; no_shape when a bound is reached. Any thread; takes
/// a lock.
uint32_t register_shape(unsigned bases, const stream::ShapedAccess* accesses, unsigned count);

/// The shape of an id that register_shape has returned. Valid for good.
const stream::AccessShape& shape(uint32_t id);

/// Id of what is left of a shape without the bases of `dropped` (bit i: base i); no_shape when nothing is.
/// Any thread.
uint32_t shape_without(uint32_t id, uint64_t dropped);

}  // namespace malloom::accesses
