// libmalloom_optimizer.so: the DynamoRIO client that gives call sites their pools and delinquent loads their
// prefetches while a program runs (Zhao, Rabbah, Wong).
#include <dr_api.h>
#include <sys/syscall.h>

#include "dynamorio/beginning_threads.h"
#include "dynamorio/client.h"
#include "dynamorio/close_range.h"
#include "dynamorio/valgrind_requests.h"
#include "optimizer/allocation_calls.h"
#include "optimizer/allocation_slots.h"
#include "optimizer/options.h"
#include "optimizer/run_time_library.h"
#include "optimizer/statistics.h"
#include "optimizer/trace_prefetching.h"

namespace malloom::optimizer {

namespace {

constexpr dynamorio::ClientOption<Options> known_options[] = {
#define CLIENT_OPTION(name, default_value, meaning) {#name, &Options::name},
#include "optimizer/options.def"
#undef CLIENT_OPTION
};

Options options;

// What is redirected is emitted with its translations. Code that was built before the events were registered
// is to be translated as it was.
dr_emit_flags_t block_built(void* context, void* tag, instrlist_t* block, bool for_trace, bool translating) {
    dynamorio::remove_request_answers(context, block);
    if (options.pools == 0 || translating) return DR_EMIT_DEFAULT;
    return redirect_allocation(context, tag, block, for_trace);
}

dr_emit_flags_t trace_built(void* context, void* tag, instrlist_t* trace, bool translating) {
    if (!translating) count_trace();
    return options.prefetch != 0 ? optimize_trace(context, tag, trace, translating) : DR_EMIT_DEFAULT;
}

bool is_instrumenting;
int threads;

void add_slots_of_all_modules() {
    dr_module_iterator_t* const modules = dr_module_iterator_start();
    while (dr_module_iterator_hasnext(modules)) {
        module_data_t* const module = dr_module_iterator_next(modules);
        add_allocation_slots(module);
        dr_free_module_data(module);
    }
    dr_module_iterator_stop(modules);
}

void start_instrumenting() {
    if (__atomic_exchange_n(&is_instrumenting, true, __ATOMIC_RELAXED)) return;
    if (options.pools != 0) add_slots_of_all_modules();
    dr_register_bb_event(block_built);
    if (options.prefetch != 0 || options.statistics != 0) dr_register_trace_event(trace_built);
}

bool is_alone() {
    return __atomic_load_n(&threads, __ATOMIC_RELAXED) <= 1;
}

// In the system call by which libmalloom.so says that the program has asked for much. What was built before
// is built anew where one thread alone runs. Where others do it stays: a flush is not safe then.
void start_late() {
    if (is_instrumenting) return;
    start_instrumenting();
    if (__atomic_load_n(&threads, __ATOMIC_RELAXED) == 1) dr_flush_region(nullptr, ~size_t{0});
}

void begin_waiting() {
    *awaited() = {options.requests, options.bytes};
    if (options.requests == 0) start_instrumenting();
}

// Code before the first request, the loader's nearly all, need not be instrumented: that takes a fifth of a
// short run. A module counts as loaded when its code is first reached.
void module_loaded(void*, const module_data_t* module, bool) {
    if (!has_run_time()) {
        find_run_time(module);
        if (has_run_time() && !is_instrumenting) begin_waiting();
    }
    if (!is_instrumenting && dynamorio::has_client_requests(module)) start_instrumenting();
    if (is_instrumenting && options.pools != 0) add_allocation_slots(module);
}

void module_unloaded(void*, const module_data_t* module) {
    remove_allocation_slots(module);
    forget_run_time(module);
}

void process_ends() {
    if (options.statistics != 0) print_statistics();
    exit_allocation_calls();
}

bool is_beginning(void* context) {
    using front::DynamicBeginning;
    return static_cast<unsigned>(dr_syscall_get_param(context, 0)) == DynamicBeginning::first &&
           static_cast<unsigned>(dr_syscall_get_param(context, 1)) == DynamicBeginning::last &&
           static_cast<unsigned>(dr_syscall_get_param(context, 2)) == DynamicBeginning::flags;
}

bool is_of_interest(void*, int number) {
    return number == SYS_close_range || number == SYS_exit;
}

// DynamoRIO also announces those that it watches for itself.
bool before_system_call(void* context, int number) {
    if (number == SYS_exit) dynamorio::await_beginning_threads(is_alone);
    if (number != SYS_close_range) return true;
    if (is_beginning(context)) {
        start_late();
        dr_syscall_set_result(context, 0);
        return false;
    }
    dynamorio::bound_close_range(context);
    return true;
}

void thread_begins(void*) {
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
}

void thread_ends(void*) {
    __atomic_fetch_sub(&threads, 1, __ATOMIC_RELAXED);
}

// Whoever else ran in the parent does not here.
void forked(void*) {
    __atomic_store_n(&threads, 1, __ATOMIC_RELAXED);
}

// The events are registered as they are, without drmgr, whose phases cost every block that is built.
bool begin(int count, const char** arguments) {
    options = dynamorio::begin_client("the optimiser", count, arguments, known_options);
    if (!init_allocation_calls(options)) return false;
    if (options.prefetch != 0 && !init_trace_prefetching(options)) return false;
    dr_register_exit_event(process_ends);
    dr_register_module_load_event(module_loaded);
    dr_register_module_unload_event(module_unloaded);
    if (options.pools == 0) start_instrumenting();
    dr_register_thread_init_event(thread_begins);
    dr_register_thread_exit_event(thread_ends);
    dr_register_fork_init_event(forked);
    dr_register_filter_syscall_event(is_of_interest);
    dr_register_pre_syscall_event(before_system_call);
    return true;
}

}  // namespace

}  // namespace malloom::optimizer

extern "C" DR_EXPORT void dr_client_main(client_id_t, int count, const char* arguments[]) {
    if (!malloom::optimizer::begin(count, arguments)) dr_exit_process(1);
}
