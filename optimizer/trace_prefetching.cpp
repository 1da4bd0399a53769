#include "optimizer/trace_prefetching.h"

namespace malloom::optimizer {

bool init_trace_prefetching(const Options&) {
    return true;
}

dr_emit_flags_t optimize_trace(void*, void*, instrlist_t*, bool) {
    return DR_EMIT_DEFAULT;
}

}  // namespace malloom::optimizer
