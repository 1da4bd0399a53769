// Arrays of structures: sets whose objects are one structure after the other, so that all their offsets are
// within a structure (Curial et al.: MPADS, section 2.3.1: num_objs of split_calloc).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// The bytes of a structure, of each set that is arrays of structures: of which all steps are of whole
/// structures, each access is within one, to one of several fields, and each request is for as many bytes as
/// some structures have, also one. Requests that wrap around ask for other numbers; they get whole structures
/// all the same.
llvm::DenseMap<const AliasSet*, uint64_t> find_arrays(const PointsTo& points_to);

/// Whether a number is always a multiple, also where its calculation may wrap around.
bool is_multiple(const llvm::Value& number, uint64_t of);

/// Whether an instruction fills or copies several structures from a beginning of one on, or as many bytes as
/// the run knows. Copies are from the same set, so that both sides lie alike. Structures of 0 bytes: it does
/// not.
enum class StructuresAccess : uint8_t {
    none,
    whole,     ///< as many as there are
    with_rest  ///< the last one may be a part of one
};
StructuresAccess structures_access(const llvm::Instruction& instruction, uint64_t structure_bytes,
                                   const PointsTo& points_to);

}  // namespace malloom::compiler
