// Which fields of an object lie in one array: those that save most of what is fetched from memory.
#pragma once

#include <vector>

#include "compiler/policy/visits.h"

namespace malloom::compiler {

/// Fields by the arrays that they lie in, as numbers; the first array is that of an object's address. One
/// that has all fields: the objects stay whole.
///
/// What a visit costs is counted in bytes that come from memory: where objects are visited in the order of
/// their places, those of the arrays' elements; where not, the lines that each visited part touches. Where
/// the pointers to further objects lie is waited for; the rest is fetched meanwhile.
std::vector<std::vector<unsigned>> best_parts(const Proof& proof, const std::vector<Visit>& visits);

}  // namespace malloom::compiler
