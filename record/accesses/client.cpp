// libmalloom_accesses.so: the DynamoRIO client that records which memory a program loads and stores, in
// program order, into the profile that the preloaded recorder of requests writes.
#include <dr_api.h>
#include <drmgr.h>
#include <sys/syscall.h>

#include "dynamorio/beginning_threads.h"
#include "dynamorio/client.h"
#include "dynamorio/close_range.h"
#include "record/accesses/access_chunks.h"
#include "record/accesses/address_filter.h"
#include "record/accesses/bursts.h"
#include "record/accesses/instrumentation.h"
#include "record/accesses/recorder_library.h"
#include "record/accesses/shapes.h"
#include "record/accesses/thread_recording.h"

namespace malloom::accesses {

namespace {

constexpr dynamorio::ClientOption<bursts::Options> known_options[] = {
#define CLIENT_OPTION(name, default_value, meaning) {#name, &bursts::Options::name},
#include "record/accesses/options.def"
#undef CLIENT_OPTION
};

void module_loaded(void*, const module_data_t* module, bool) {
    add_module_range(module);
    find_recorder(module);
}

void module_unloaded(void*, const module_data_t* module) {
    remove_module_range(module);
    forget_recorder(module);
}

// A new program image takes the place of this one without any exit event.
bool is_exec(void*, int number) {
    return number == SYS_execve || number == SYS_execveat;
}

bool is_of_interest(void* context, int number) {
    return is_exec(context, number) || number == SYS_close_range || number == SYS_exit;
}

bool before_system_call(void* context, int number) {
    if (is_exec(context, number)) flush_current_thread(context);
    if (number == SYS_close_range) dynamorio::bound_close_range(context);
    if (number == SYS_exit) dynamorio::await_beginning_threads(records_one_thread);
    return true;
}

void forked(void* context) {
    restart_after_fork(context);
    bursts::restart_after_fork();
}

void process_ends() {
    exit_instrumentation();
    exit_thread_recording();
    drmgr_exit();
}

bool begin(client_id_t id, int count, const char** arguments) {
    const bursts::Options options =
        dynamorio::begin_client("the recorder of accesses", count, arguments, known_options);
    if (!open_profile()) return false;
    init_module_ranges();
    bursts::init(id, options);
    dr_register_fork_init_event(forked);
    dr_register_exit_event(process_ends);
    dr_register_filter_syscall_event(is_of_interest);
    return drmgr_init() && init_shapes() && init_thread_recording() && init_instrumentation() &&
           drmgr_register_module_load_event(module_loaded) &&
           drmgr_register_module_unload_event(module_unloaded) &&
           drmgr_register_pre_syscall_event(before_system_call);
}

}  // namespace

}  // namespace malloom::accesses

extern "C" DR_EXPORT void dr_client_main(client_id_t id, int count, const char* arguments[]) {
    if (!malloom::accesses::begin(id, count, arguments)) dr_exit_process(1);
}
