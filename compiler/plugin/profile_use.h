// Has a recorded table of fields take part in the choice, and says how much of it is of this program.
#pragma once

#include <string>
#include <vector>

#include "compiler/plugin/remarks.h"
#include "compiler/policy/visits.h"

namespace malloom::compiler {

/// Puts what the table at the path tells in the place of what the code tells (recorded_visits.h). Which share
/// of its call sites is in the program is said in a remark, and why it tells nothing of a structure in one
/// more; in a warning, if none is there, or the table cannot be read. The program is right all the same.
void use_profile(const std::string& path, llvm::Module& module, const std::vector<Proof>& proofs,
                 std::vector<Usage>& usages, const RemarksOf& remarks_of);

}  // namespace malloom::compiler
