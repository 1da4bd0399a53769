// drmgr registers one handler for all blocks; the linker (--wrap) lets this file stand before it. Its header
// forbids the names that are used here, so it is not included.
#include "record/accesses/block_event.h"

#include "dynamorio/valgrind_requests.h"

namespace malloom::accesses {

namespace {

using Handler = dr_emit_flags_t (*)(void*, void*, instrlist_t*, bool, bool);

BlockChoice choice;
Handler of_drmgr;

// A block is built again where a fault in it is to be explained, but never one of drmgr's: those keep their
// translations.
dr_emit_flags_t block_built(void* context, void* tag, instrlist_t* list, bool for_trace, bool translating) {
    dynamorio::remove_request_answers(context, list);
    if (translating || !choice(list)) return DR_EMIT_DEFAULT;
    return of_drmgr(context, tag, list, for_trace, translating);
}

}  // namespace

void instrument_only(BlockChoice wanted) {
    choice = wanted;
}

}  // namespace malloom::accesses

extern "C" {

void __real_dr_register_bb_event(malloom::accesses::Handler handler);
bool __real_dr_unregister_bb_event(malloom::accesses::Handler handler);

void __wrap_dr_register_bb_event(malloom::accesses::Handler handler) {
    malloom::accesses::of_drmgr = handler;
    __real_dr_register_bb_event(malloom::accesses::block_built);
}

bool __wrap_dr_unregister_bb_event(malloom::accesses::Handler) {
    return __real_dr_unregister_bb_event(malloom::accesses::block_built);
}

}  // extern "C"
