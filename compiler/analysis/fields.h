// The fields of a set's objects: the intervals of bytes that its accesses prove. Types play no part.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <vector>

#include "compiler/analysis/field.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// An access as the fields see it.
struct Span {
    uint64_t offset, bytes;
    bool may_be_divided;  ///< so that each of its fields may be reached by itself
};

/// Disjoint fields in the order of their offsets, so that every span is within one or may be divided into
/// whole ones. Bytes that no span has belong to none.
std::vector<Field> fields_of(std::vector<Span> spans);

/// Whether an access can be made a field at a time: not what is volatile or atomic, or no number.
bool may_be_divided(const Access& access);

}  // namespace malloom::compiler
