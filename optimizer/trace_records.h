// What is known of each trace, by its tag, for as long as the program runs.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "optimizer/distance_trial.h"
#include "optimizer/trace_loads.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

/// A prefetch that a trace has, or may get.
struct TracePrefetch {
    app_pc load;       ///< the first load of the group whose lines are prefetched
    bool is_indirect;  ///< through the word that another group's load brings
    int64_t stride;    ///< in bytes, of the group; of the other group if indirect
    int64_t distance;  ///< in bytes; 0: it did not pay
};

struct TraceRecord;

/// Profiles and trials are written by code in the code cache that may outlive their use, so they are used
/// again for other traces, and never unmapped.
struct ProfileInUse {
    TraceProfile profile;  ///< first: code knows its address
    TraceRecord* record;   ///< null: free
    ProfileInUse* next;
};
struct TrialInUse {
    DistanceTrial trial;  ///< first, likewise
    TraceRecord* record;
    TrialInUse* next;
};

enum class TraceState : uint8_t { fresh, profiling, trying, settled };

struct TraceRecord {
    void* tag;
    TraceState state;
    uint8_t profiled;  ///< how many times; a rebuilt trace may hold other loads
    uint8_t load_count, prefetch_count;
    app_pc loads[TraceLoads::most];    ///< the groups that were judged or are being profiled, by column
    uint8_t givers[TraceLoads::most];  ///< as choose_prefetches() wants them
    TracePrefetch prefetches[DistanceTrial::most_loads];
    ProfileInUse* profile;
    TrialInUse* trial;
};

/// The record of a trace, made if need be. Everything here is guarded by the caller's lock.
TraceRecord* record_of(void* tag);

bool init_trace_records();

/// A profile for the record, or null without memory. Where too many are in use the oldest is taken away from
/// its trace, which then begins anew; `evicted` is that trace's tag, or null.
TraceProfile* take_profile(TraceRecord* record, void** evicted);
void give_back_profile(TraceRecord* record);

DistanceTrial* take_trial(TraceRecord* record);
void give_back_trial(TraceRecord* record);

/// Forgets the traces that begin in a range of code.
void forget_records(app_pc start, app_pc end);

}  // namespace malloom::optimizer
