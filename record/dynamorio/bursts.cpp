#include "record/dynamorio/bursts.h"

#include <dr_api.h>
#include <time.h>

#include "record/dynamorio/thread_recording.h"

namespace malloom::accesses::bursts {

namespace {

constexpr int shortest_pause_ms = 1;
constexpr uint64_t ns_per_ms = 1000000;
constexpr uint64_t ns_per_s = 1000000000;

Options options;
volatile bool on = true;
volatile uint32_t number = 1;
uint64_t recorded;       // accesses of this burst
uint64_t burst_length;   // accesses after which it ends; 0: never
uint64_t burst_began;    // CPU time of the program, in ns
uint64_t pause_ends;     // CPU time of the program, in ns
void* pause_began;       // event that the client thread waits for
process_id_t program;
client_id_t client;

// The client thread is a process of its own to the kernel, so the clock is named by the program's process id.
uint64_t cpu_time() {
    constexpr clockid_t scheduler_clock = 2;
    const clockid_t clock = ~static_cast<clockid_t>(program) << 3 | scheduler_clock;
    timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return static_cast<uint64_t>(now.tv_sec) * ns_per_s + static_cast<uint64_t>(now.tv_nsec);
}

void flush_code_cache() {
    dr_delay_flush_region(nullptr, ~size_t{0}, 0, nullptr);
}

void begin_burst() {
    burst_length = options.burst;
    __atomic_store_n(&recorded, 0, __ATOMIC_RELAXED);
    burst_began = cpu_time();
    number = number + 1;
    on = true;
    flush_code_cache();
    interrupt_all_threads();
}

// Flushing is only safe in a thread of the program's, and a nudge is how DynamoRIO calls a client in one.
void nudged(void*, uint64) {
    if (!on) begin_burst();
}

[[noreturn]] void end_pauses(void*) {
    for (;;) {
        dr_event_wait(pause_began);
        dr_event_reset(pause_began);
        for (uint64_t now = cpu_time(); now < pause_ends; now = cpu_time())
            dr_sleep(shortest_pause_ms + static_cast<int>((pause_ends - now) / ns_per_ms));
        dr_nudge_client(client, 0);
    }
}

void begin_pause() {
    on = false;
    const uint64_t now = cpu_time();
    pause_ends = now + options.gap * (now - burst_began);
    flush_code_cache();
    if (options.samples()) dr_event_signal(pause_began);
}

}  // namespace

void init(client_id_t id, const Options& chosen) {
    client = id;
    options = chosen;
    program = dr_get_process_id();
    burst_length = options.limit != 0 ? options.limit : options.burst;
    burst_began = cpu_time();
    pause_began = dr_event_create();
    if (!options.samples()) return;
    dr_register_nudge_event(nudged, id);
    dr_create_client_thread(end_pauses, nullptr);
}

bool recording() {
    return on;
}

uint32_t current() {
    return number;
}

void count(uint64_t accesses) {
    if (burst_length == 0 || !on) return;
    const uint64_t before = __atomic_fetch_add(&recorded, accesses, __ATOMIC_RELAXED);
    if (before < burst_length && before + accesses >= burst_length) begin_pause();
}

void stop() {
    if (!on) return;
    on = false;
    flush_code_cache();
}

void restart_after_fork() {
    program = dr_get_process_id();
    if (!on && options.samples()) begin_burst();
    if (options.samples()) dr_create_client_thread(end_pauses, nullptr);
}

}  // namespace malloom::accesses::bursts
