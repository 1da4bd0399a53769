#include "compiler/analysis/rules.h"

namespace malloom::compiler {

bool is_left_out(Rule /*rule*/) {
    return false;
}

}  // namespace malloom::compiler
