#include "runtime/context/modules.h"

namespace malloom::context {

const Module* find_module(uintptr_t) {
    return nullptr;
}
uint32_t module_count() {
    return 0;
}
const Module* module_at(uint32_t) {
    return nullptr;
}

}  // namespace malloom::context
