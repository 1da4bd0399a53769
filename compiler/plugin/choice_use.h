// Has a choice of policies, a structure each, take the place of the one policy, and writes one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/analysis/field_names.h"
#include "compiler/plugin/remarks.h"
#include "compiler/policy/choice.h"

namespace malloom::compiler {

/// The choice at the path. Ends the link where it cannot be read, as a program that is made otherwise than
/// what was measured must not pass for it.
std::unique_ptr<Choice> open_choice(const std::string& path);

/// The policies of the proofs' structures, in their order. Which share of the choice's structures is in the
/// program is said in a remark; in a warning, if none is there.
std::vector<Policy> use_choice(const Choice& choice, const std::string& path, llvm::Module& module,
                               const std::vector<Proof>& proofs, const RemarksOf& remarks_of);

/// Writes the choice that decides alike, and says in a warning where that cannot be done. `linked` has
/// lines of what else is linked.
void write_choice(const std::string& path, llvm::Module& module, const std::vector<Decision>& decisions,
                  Policy others, llvm::StringRef linked, const StructureNames& names);

}  // namespace malloom::compiler
