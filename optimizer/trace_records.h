// What is known of each trace, by its tag, for as long as the program runs.
#pragma once

#include <dr_api.h>
#include <stddef.h>
#include <stdint.h>

#include "dynamorio/client.h"
#include "optimizer/distance_trial.h"
#include "optimizer/trace_loads.h"
#include "optimizer/trace_profile.h"

namespace malloom::optimizer {

/// A prefetch that a trace has, or may get.
struct TracePrefetch {
    app_pc load;                ///< the first load of the group whose lines are prefetched
    bool is_indirect;           ///< through the word that another group's load reads
    int64_t stride;             ///< in bytes, of the group; of the other group if indirect
    PrefetchDistance distance;  ///< none: it did not pay
};

struct TraceRecord;

/// Code in the code cache may outlive the use of these, so they are used again for other traces, and never
/// unmapped.
struct ProfileInUse {
    TraceProfile profile;
    TraceRecord* record;  ///< null: free
};
struct TrialInUse {
    DistanceTrial trial;
    TraceRecord* record;
    TrialInUse* next;
};

/// A trace is built for its state. `analysed`: nothing was found, but its instrumentation may stay for a
/// while.
enum class TraceState : uint8_t { fresh, profiling, analysed, trying, settled };

/// Never freed: the trace's code counts in it.
struct TraceRecord {
    EntryCounter counter;
    void* tag;
    TraceState state;
    uint8_t profiled;  ///< how many times; a rebuilt trace may hold other loads
    uint8_t load_count, prefetch_count;
    app_pc loads[TraceLoads::most];       ///< the groups that were analysed or are being profiled, by column
    uint8_t producers[TraceLoads::most];  ///< as choose_prefetches() wants them
    TracePrefetch prefetches[DistanceTrial::most_loads];
    ProfileInUse* profile;
    TrialInUse* trial;
};

/// False without memory.
bool init_trace_records();

/// The record of a trace; null where there is none. Everything here is guarded by the caller's lock.
TraceRecord* find_record(void* tag);

/// For a trace that has none.
TraceRecord* add_record(void* tag);

/// Gives the record's counter a profile of its own, empty, for so many loads; false without memory. Where too
/// many are in use the oldest is taken from its trace, which is then fresh again.
bool acquire_profile(TraceRecord* record, size_t loads);

/// From now on the trace's rows go where nobody reads them.
void release_profile(TraceRecord* record);

DistanceTrial* acquire_trial(TraceRecord* record);
void release_trial(TraceRecord* record);

/// Lets the traces that begin in a range of code begin anew.
void reset_records(dynamorio::AddressRange code);

}  // namespace malloom::optimizer
