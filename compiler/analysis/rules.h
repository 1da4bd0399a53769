// The rules of the analysis, by the reasons that they give. Tests show of each what goes wrong without it:
// their plugin (tests/compiler/plugin) leaves out those that an option names, and ours none.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace malloom::compiler {

/// Whether the rule that gives this reason does not count.
bool is_left_out(llvm::StringRef reason);

}  // namespace malloom::compiler
