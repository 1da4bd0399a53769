// How a program uses the fields of its objects, as far as its code alone tells: loops and calls have weights.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/legality.h"
#include "compiler/policy/weights.h"

namespace malloom::compiler {

/// Fields of an object by the bits of their numbers.
using FieldSet = uint64_t;

/// Fields of one object that are accessed together.
struct Visit {
    FieldSet fields;
    double weight;  ///< how often: relative to a run of the program's entry, or as it was recorded
    bool is_fresh;  ///< of an object that was just requested: objects come in the order of their places
};
/// A set of more fields than a word has bits has no visits.
constexpr size_t most_grouped_fields = std::numeric_limits<FieldSet>::digits;

/// What a recorded run tells of a set's objects beside their visits.
struct Recorded {
    std::vector<double> accesses = {};  ///< to each field
    double waited = 0;     ///< of the lines that visits touch, the share that came from memory, waited for
    double in_order = 0;   ///< the share that came from memory before it was asked for
    bool is_cold = false;  ///< the program hardly waited for these objects
};

/// How the objects of a set are used.
struct Usage {
    std::vector<Visit> visits = {};
    FieldSet links = 0;                     ///< what they lead to is waited for
    std::optional<Recorded> recorded = {};  ///< none: the code alone tells of the visits
    std::string untold = {};                ///< why a profile that was given does not tell of these objects
};

/// How the objects of each proof are used, in their order, as the code tells.
std::vector<Usage> static_usage(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                const Weights& weights);

}  // namespace malloom::compiler
