// libmalloom_optimizer.so: the DynamoRIO client that gives call sites their pools and delinquent loads their
// prefetches while a program runs (Zhao, Rabbah, Wong).
#include <dr_api.h>
#include <sys/syscall.h>

#include "optimizer/allocation_calls.h"
#include "optimizer/allocation_slots.h"
#include "optimizer/options.h"
#include "optimizer/run_time_library.h"
#include "optimizer/statistics.h"
#include "optimizer/trace_prefetching.h"
#include "record/dynamorio/close_range.h"
#include "record/dynamorio/valgrind_requests.h"

namespace malloom::optimizer {

namespace {

Options options;

dr_emit_flags_t block_built(void* context, void* tag, instrlist_t* block, bool for_trace, bool) {
    accesses::leave_unanswered(context, block);
    return options.pools != 0 ? redirect_allocation(context, tag, block, for_trace) : DR_EMIT_DEFAULT;
}

dr_emit_flags_t trace_built(void* context, void* tag, instrlist_t* trace, bool translating) {
    if (!translating) count_trace();
    return options.prefetch != 0 ? optimize_trace(context, tag, trace, translating) : DR_EMIT_DEFAULT;
}

void look_at_code() {
    static bool is_looking = false;
    if (is_looking) return;
    is_looking = true;
    dr_register_bb_event(block_built);
    if (options.prefetch != 0 || options.statistics != 0) dr_register_trace_event(trace_built);
}

// Code before the first request, the loader's nearly all, need not be looked at: that takes a fifth of a
// short run. A module counts as loaded when its code is first reached.
void module_loaded(void*, const module_data_t* module, bool) {
    find_run_time(module);
    if (has_run_time()) look_at_code();
    add_allocation_slots(module);
}

void module_unloaded(void*, const module_data_t* module) {
    remove_allocation_slots(module);
    forget_run_time(module);
}

void process_ends() {
    if (options.statistics != 0) print_statistics();
    exit_allocation_calls();
}

bool is_of_interest(void*, int number) {
    return number == SYS_close_range;
}

// DynamoRIO also announces those that it watches for itself.
bool before_system_call(void* context, int number) {
    if (number == SYS_close_range) accesses::bound_close_range(context);
    return true;
}

// The events are registered as they are, without drmgr, whose phases cost every block that is built.
bool begin() {
    if (!init_allocation_calls(options)) return false;
    if (options.prefetch != 0 && !init_trace_prefetching(options)) return false;
    dr_register_exit_event(process_ends);
    dr_register_module_load_event(module_loaded);
    dr_register_module_unload_event(module_unloaded);
    if (options.pools == 0) look_at_code();
    dr_register_filter_syscall_event(is_of_interest);
    dr_register_pre_syscall_event(before_system_call);
    return true;
}

}  // namespace

}  // namespace malloom::optimizer

extern "C" DR_EXPORT void dr_client_main(client_id_t, int count, const char* arguments[]) {
    dr_set_client_name("malloom's optimiser", "the documentation of malloom");
    malloom::optimizer::options = malloom::optimizer::parse_options(count, arguments);
    if (!malloom::optimizer::begin()) dr_exit_process(1);
}
