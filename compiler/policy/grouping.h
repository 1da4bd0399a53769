// Which fields of an object lie in one array: those that save most of what is fetched from memory.
#pragma once

#include <vector>

#include "compiler/policy/visits.h"

namespace malloom::compiler {

/// Fields by the arrays that they lie in, as numbers; the first array is that of an object's address. One
/// that has all fields: the objects stay whole, but lie closer together than malloc's alignment lets them.
/// None: they stay as they are. See costs.h for what is counted.
std::vector<std::vector<unsigned>> best_parts(const Proof& proof, const Usage& usage);

/// The same with two arrays: what is used often, and the rest. None where the fields cannot be told apart
/// clearly, or two arrays save too little.
std::vector<std::vector<unsigned>> hot_and_cold(const Proof& proof, const Usage& usage);

}  // namespace malloom::compiler
