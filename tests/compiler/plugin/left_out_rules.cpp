// In the tests' plugin, in place of compiler/analysis/rules.cpp: rules may be left out, so that a test sees
// what each of them is for. Such a plugin makes wrong programs.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/CommandLine.h>

#include <string>

#include "compiler/analysis/rules.h"

namespace malloom::compiler {

namespace {

llvm::cl::list<std::string> left_out("malloom-without-rule",
                                     llvm::cl::desc("Leave out the rule that gives this reason"));

}  // namespace

bool is_left_out(llvm::StringRef reason) {
    return llvm::any_of(left_out, [&](const std::string& each) { return reason == each; });
}

}  // namespace malloom::compiler
