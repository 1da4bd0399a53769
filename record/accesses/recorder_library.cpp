#include "record/accesses/recorder_library.h"

#include "dynamorio/client.h"

namespace malloom::accesses {

namespace {

struct Recorder {
    dynamorio::AddressRange code;
    app_pc beacon;
    const volatile uint64_t* process;
    const volatile uint64_t* tickets;
};
Recorder recorder;

}  // namespace

void find_recorder(const module_data_t* module) {
    using dynamorio::exported;
    const app_pc entry = exported(module, "malloom_record_beacon");
    const app_pc present = exported(module, "malloom_client_present");
    const app_pc process = exported(module, "malloom_record_process");
    const app_pc tickets = exported(module, "malloom_record_tickets");
    if (entry == nullptr || present == nullptr || process == nullptr || tickets == nullptr) return;
    recorder = {dynamorio::range_of(module), entry, reinterpret_cast<const volatile uint64_t*>(process),
                reinterpret_cast<const volatile uint64_t*>(tickets)};
    const int yes = 1;
    size_t written;
    dr_safe_write(present, sizeof yes, &yes, &written);
}

void forget_recorder(const module_data_t* module) {
    if (module->start == recorder.code.start) recorder = {};
}

bool in_recorder(app_pc pc) {
    return recorder.code.contains(pc);
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
