#include "compiler/analysis/rules.h"

namespace malloom::compiler {

bool is_left_out(llvm::StringRef /*reason*/) {
    return false;
}

}  // namespace malloom::compiler
