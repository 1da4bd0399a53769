// In the tests' plugin, in place of compiler/analysis/rules.cpp: rules may be left out, so that a test sees
// what each of them is for. Such a plugin makes wrong programs.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/CommandLine.h>

#include <string>

#include "compiler/analysis/rules.h"

namespace malloom::compiler {

namespace {

llvm::cl::list<std::string> left_out("malloom-without-rule",
                                     llvm::cl::desc("Leave out the rule of this name (rules.def)"));

}  // namespace

bool is_left_out(Rule rule) {
    constexpr const char* names[] = {
#define RULE(name, sentence) #name,
#include "compiler/analysis/rules.def"
#undef RULE
    };
    return llvm::is_contained(left_out, names[static_cast<uint8_t>(rule)]);
}

}  // namespace malloom::compiler
