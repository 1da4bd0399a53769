#include "optimizer/profiled_traces.h"

#include "dynamorio/client.h"
#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

namespace {

// What it costs to profile a trace: to build its code twice more, 100 to 200 us, and as much for the entries
// that are instrumented till then.
constexpr uint64_t cycles_of_profile = 1000000;

uint64_t eager, share;
uint64_t began;
uint64_t profiled;

// Whether the trace's last jump leads to its own beginning.
bool is_loop(instrlist_t* trace) {
    instr_t* const last = instrlist_last_app(trace);
    if (last == nullptr || !instr_is_cti(last) || instr_is_mbr(last)) return false;
    for (instr_t* jump = last; jump != nullptr && instr_is_cti(jump); jump = instr_get_prev_app(jump)) {
        if (!instr_is_mbr(jump) &&
            instr_get_branch_target_pc(jump) == instr_get_app_pc(instrlist_first_app(trace)))
            return true;
    }
    return false;
}

}  // namespace

void init_profiled_traces(const Options& options) {
    eager = options.eager;
    share = options.share;
    began = __builtin_ia32_rdtsc();
}

// What waits for memory in the run time are requests, each a few loads of the heaps' own lists. A loop of the
// program is always worth it. Other traces, of which large programs have tens of thousands, are profiled as
// long as that costs no more than its share of the time.
bool is_worth_profiling(instrlist_t* trace, void* tag) {
    if (in_run_time(static_cast<app_pc>(tag))) return false;
    const uint64_t affordable = eager + (__builtin_ia32_rdtsc() - began) / cycles_of_profile * share / 100;
    return profiled < affordable || is_loop(trace);
}

void count_profiled_trace() {
    ++profiled;
}

}  // namespace malloom::optimizer
