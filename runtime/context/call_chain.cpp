#include "runtime/context/call_chain.h"

namespace malloom::context {

unsigned walk_call_chain(const Caller& caller, unsigned depth, uintptr_t* frames) {
    if (depth == 0) return 0;
    frames[0] = caller.return_address;
    return 1;
}

}  // namespace malloom::context
