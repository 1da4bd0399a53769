// How a program's objects were used when an earlier build of it was recorded (malloom profile fields), as far
// as its call sites are found again in this one.
#pragma once

#include <array>
#include <vector>

#include "compiler/policy/call_sites.h"
#include "compiler/policy/visits.h"
#include "formats/fields_file.h"

namespace malloom::compiler {

/// How much of a table is of the program: of what it has of the modules in which anything was found.
struct FoundAgain {
    size_t sites = 0;     ///< of the table: those that debug information tells of
    double requests = 0;  ///< that these made
    std::array<size_t, level_names.size()> found = {};  ///< of the sites, by their levels
    double found_requests = 0;
    bool has_requests = false;  ///< the program requests objects
    bool has_keys = false;      ///< and debug information tells where

    size_t found_sites() const;
};

/// Puts what is recorded in the place of what the code tells, for each set of which the table tells; for the
/// others their usage says why it does not. The table is a checked one; whatever it says, usages stay good.
FoundAgain use_recorded(const formats::FieldsFile& table, const llvm::Module& module,
                        const std::vector<Proof>& proofs, std::vector<Usage>& usages);

}  // namespace malloom::compiler
