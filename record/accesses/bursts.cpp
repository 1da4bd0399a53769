#include "record/accesses/bursts.h"

#include <dr_api.h>
#include <sys/time.h>
#include <time.h>

#include "record/accesses/thread_recording.h"

namespace malloom::accesses::bursts {

namespace {

constexpr unsigned tick_ms = 10;
constexpr uint64_t ns_per_s = 1000000000;

Options options;
bool begun;
volatile bool on;
volatile uint32_t number = 1;
uint64_t recorded;      // accesses of this burst
uint64_t burst_length;  // accesses after which it ends; 0: never
uint64_t burst_began;   // CPU time of the program, in ns
uint64_t pause_ends;    // CPU time of the program, in ns
client_id_t client;

uint64_t cpu_time() {
    timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
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

bool pause_is_over() {
    return options.samples() && cpu_time() >= pause_ends;
}

// The code cache is flushed by a nudge, because a nudge also takes the thread out of the cache: code that is
// linked into a loop would stay there. A timer's signal comes at any time, so all that its handler does is to
// ask for a nudge.
void nudged(void*, uint64) {
    if (on || !begun) return;
    if (!pause_is_over()) {
        flush_code_cache();
        return;
    }
    dr_set_itimer(ITIMER_PROF, 0, nullptr);
    begin_burst();
}

void timer_ticked(void*, dr_mcontext_t*) {
    if (!on && pause_is_over()) dr_nudge_client(client, 0);
}

void begin_pause() {
    on = false;
    const uint64_t now = cpu_time();
    pause_ends = now + options.gap * (now - burst_began);
    dr_nudge_client(client, 0);
    if (options.samples()) dr_set_itimer(ITIMER_PROF, tick_ms, timer_ticked);
}

}  // namespace

void init(client_id_t id, const Options& chosen) {
    client = id;
    options = chosen;
    burst_length = options.limit != 0 ? options.limit : options.burst;
    dr_register_nudge_event(nudged, id);
}

void begin() {
    if (__atomic_test_and_set(&begun, __ATOMIC_RELAXED)) return;
    burst_began = cpu_time();
    on = true;
    flush_code_cache();
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
    if (!begun) return;
    burst_began = cpu_time();
    pause_ends = burst_began;
    if (!on && options.samples()) dr_set_itimer(ITIMER_PROF, tick_ms, timer_ticked);
}

}  // namespace malloom::accesses::bursts
