#include "record/dynamorio/recorder_library.h"

namespace malloom::accesses {

namespace {

struct Recorder {
    app_pc start, end, beacon;
    const volatile uint64_t* process;
    const volatile uint64_t* tickets;
};
Recorder recorder;

app_pc exported(const module_data_t* module, const char* name) {
    return reinterpret_cast<app_pc>(dr_get_proc_address(module->handle, name));
}

}  // namespace

void note_module_loaded(const module_data_t* module) {
    const app_pc entry = exported(module, "malloom_record_beacon");
    const app_pc present = exported(module, "malloom_client_present");
    const app_pc process = exported(module, "malloom_record_process");
    const app_pc tickets = exported(module, "malloom_record_tickets");
    if (entry == nullptr || present == nullptr || process == nullptr || tickets == nullptr) return;
    recorder = {module->start, module->end, entry, reinterpret_cast<const volatile uint64_t*>(process),
                reinterpret_cast<const volatile uint64_t*>(tickets)};
    const int yes = 1;
    size_t written;
    dr_safe_write(present, sizeof yes, &yes, &written);
}

void note_module_unloaded(const module_data_t* module) {
    if (module->start == recorder.start) recorder = {};
}

bool in_recorder(app_pc pc) {
    return pc >= recorder.start && pc < recorder.end;
}

app_pc beacon() {
    return recorder.beacon;
}

uint64_t process_identity() {
    return recorder.process != nullptr ? *recorder.process : 0;
}

uint64_t last_ticket() {
    return recorder.tickets != nullptr ? *recorder.tickets : 0;
}

}  // namespace malloom::accesses
