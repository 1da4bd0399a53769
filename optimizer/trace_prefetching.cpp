#include "optimizer/trace_prefetching.h"

#include "optimizer/prefetch_choice.h"
#include "optimizer/prefetch_code.h"
#include "optimizer/prefetch_table.h"
#include "optimizer/profiled_traces.h"
#include "optimizer/profiling_code.h"
#include "optimizer/trace_code.h"
#include "optimizer/trace_loads.h"
#include "optimizer/trace_records.h"

namespace malloom::optimizer {

namespace {

// Where a trace's loads change from one building of it to the next, it is profiled again, but not for ever.
constexpr uint8_t most_profilings = 2;

Options options;
void* lock;  // of all records

/// A trace that the trace event is about.
struct BuiltTrace {
    void* context;
    instrlist_t* list;
    TraceLoads loads;
};

StrideRules stride_rules() {
    return {options.line, options.stride};
}

DistanceRule distance_rule() {
    return {options.distance, options.line, options.whole_strides != 0};
}

TrialRules trial_rules() {
    TrialRules rules;
    rules.distance = distance_rule();
    rules.rounds = options.rounds;
    rules.window_cycles = options.window;
    rules.gain = options.gain;
    return rules;
}

// The code is made anew when it is next reached, and the trace event then finds the record as it is by then.
// Other threads have code of their own: it comes here too when its counter is at 0.
void rebuild(const TraceRecord* record) {
    dr_delete_fragment(dr_get_current_drcontext(), record->tag);
}

void keep_chosen(TraceRecord* record) {
    for (size_t i = 0; i < record->prefetch_count; ++i)
        record->prefetches[i].distance = record->trial->trial.distances[i];
    release_trial(record);
    record->state = TraceState::settled;
}

void window_counted(void* counted) {
    const uint64_t now = __builtin_ia32_rdtsc();
    auto* const record = static_cast<TraceRecord*>(counted);
    dr_mutex_lock(lock);
    bool goes_on = false;
    if (record->state == TraceState::trying) {
        goes_on = !record->trial->trial.end_window(now);
        if (!goes_on) keep_chosen(record);
    }
    dr_mutex_unlock(lock);
    if (!goes_on) rebuild(record);
}

bool begin_trial(TraceRecord* record) {
    int64_t strides[DistanceTrial::most_loads];
    for (size_t i = 0; i < record->prefetch_count; ++i) strides[i] = record->prefetches[i].stride;
    DistanceTrial* const trial = acquire_trial(record);
    if (trial != nullptr) trial->begin(strides, record->prefetch_count, trial_rules());
    return trial != nullptr;
}

void analyse(TraceRecord* record, const ThreadRows& rows) {
    ChosenPrefetch chosen[DistanceTrial::most_loads];
    const size_t count = choose_prefetches(rows, record->load_count, record->producers, stride_rules(),
                                           chosen, DistanceTrial::most_loads);
    record->prefetch_count = static_cast<uint8_t>(count);
    for (size_t i = 0; i < count; ++i) {
        record->prefetches[i] = {record->loads[chosen[i].column], chosen[i].is_indirect, chosen[i].stride,
                                 distance_rule().for_stride(chosen[i].stride)};
    }
    const bool is_tried = count != 0 && options.tune != 0 && begin_trial(record);
    record->state = is_tried ? TraceState::trying : count != 0 ? TraceState::settled : TraceState::analysed;
}

// Where other threads took most of the rows, there is nothing to analyse.
bool are_enough(const ThreadRows& rows) {
    return rows.count() >= options.threshold / 4;
}

// Its code is there already. False where it has been profiled often enough.
bool profile_again(TraceRecord* record) {
    if (record->profiled == most_profilings || !acquire_profile(record, record->load_count)) return false;
    ++record->profiled;
    record->state = TraceState::profiling;
    record->counter.countdown = options.threshold;
    return true;
}

// A trace for which nothing was found may keep its instrumentation until that has cost what building a trace
// costs: most traces are never entered so often.
bool keep_instrumentation(TraceRecord* record) {
    record->state = TraceState::analysed;
    record->counter.countdown = options.patience;
    return true;
}

bool analyse_profile(TraceRecord* record) {
    const ThreadRows rows(record->profile->profile, options.threshold);
    if (!are_enough(rows) && profile_again(record)) return true;
    analyse(record, rows);
    release_profile(record);
    return record->state == TraceState::analysed && keep_instrumentation(record);
}

/// Whether the trace goes on as it is.
bool go_on(TraceRecord* record) {
    if (record->state == TraceState::profiling) return analyse_profile(record);
    if (record->state == TraceState::fresh) return profile_again(record) || keep_instrumentation(record);
    if (record->state == TraceState::analysed) record->state = TraceState::settled;
    return false;
}

void entries_counted(void* counted) {
    auto* const record = static_cast<TraceRecord*>(counted);
    dr_mutex_lock(lock);
    const bool goes_on = go_on(record);
    dr_mutex_unlock(lock);
    if (!goes_on) rebuild(record);
}

bool knows_all(const TraceRecord* record, const TraceLoads& loads) {
    for (size_t i = 0; i < loads.count(); ++i) {
        size_t known = 0;
        while (known < record->load_count && record->loads[known] != loads[i].load) ++known;
        if (known == record->load_count) return false;
    }
    return true;
}

uint8_t producer_of(const AddressGroup& group) {
    const bool is_reachable =
        options.indirect != 0 && group.producer != TraceLoads::most && indirect_place(group) != nullptr;
    return static_cast<uint8_t>(is_reachable ? group.producer : TraceLoads::most);
}

bool profile_trace(const BuiltTrace& built, TraceRecord* record) {
    if (!acquire_profile(record, built.loads.count())) return false;
    count_profiled_trace();
    release_trial(record);
    ++record->profiled;
    record->state = TraceState::profiling;
    record->load_count = static_cast<uint8_t>(built.loads.count());
    for (size_t i = 0; i < built.loads.count() && i < TraceLoads::most; ++i) {
        record->loads[i] = built.loads[i].load;
        record->producers[i] = producer_of(built.loads[i]);
    }
    record->counter.countdown = options.threshold;
    insert_profiling(built.context, built.list, built.loads, &record->counter, entries_counted, record);
    return true;
}

void put_prefetch(const BuiltTrace& built, const TracePrefetch& prefetch, const PrefetchDistance* variable) {
    const size_t found = built.loads.find(prefetch.load);
    if (found == built.loads.count() || prefetch.distance.is_none()) return;
    const AddressGroup& group = built.loads[found];
    const LookAhead ahead{prefetch.distance, variable};
    const bool non_temporal = options.non_temporal != 0;
    if (!prefetch.is_indirect) {
        insert_strided_prefetch(built.context, built.list, group, ahead, non_temporal);
        add_strided_prefetch(group, prefetch.distance, non_temporal, variable == nullptr);
        return;
    }
    instr_t* const place = producer_of(group) != TraceLoads::most ? indirect_place(group) : nullptr;
    if (place == nullptr) return;
    insert_indirect_prefetch(built.context, built.list, group, place, ahead, non_temporal);
    add_indirect_prefetch(group, prefetch.distance, variable == nullptr);
}

bool put_prefetches(const BuiltTrace& built, const TraceRecord* record) {
    for (size_t i = 0; i < record->prefetch_count; ++i) put_prefetch(built, record->prefetches[i], nullptr);
    return record->prefetch_count != 0;
}

bool try_prefetches(const BuiltTrace& built, TraceRecord* record) {
    DistanceTrial& trial = record->trial->trial;
    for (size_t i = 0; i < record->prefetch_count; ++i)
        put_prefetch(built, record->prefetches[i], &trial.distances[i]);
    count_entry({built.context, built.list, instrlist_first(built.list)}, &trial.countdown,
                reinterpret_cast<void*>(window_counted), record, [] {});
    return true;
}

/// Whether it inserted anything.
bool optimize(const BuiltTrace& built, void* tag) {
    TraceRecord* record = find_record(tag);
    const bool is_unknown = record == nullptr || record->state == TraceState::fresh ||
                            record->state == TraceState::profiling || !knows_all(record, built.loads);
    if (is_unknown && is_worth_profiling(built.list, tag)) {
        if (record == nullptr) record = add_record(tag);
        if (record->profiled < most_profilings && profile_trace(built, record)) return true;
    }
    if (record == nullptr) return false;
    if (record->state == TraceState::trying) return try_prefetches(built, record);
    return record->state == TraceState::settled && put_prefetches(built, record);
}

// Most traces of large programs have no record and get none: to analyse their loads would be in vain.
bool is_of_interest(instrlist_t* trace, void* tag) {
    dr_mutex_lock(lock);
    const bool is_wanted = find_record(tag) != nullptr || is_worth_profiling(trace, tag);
    dr_mutex_unlock(lock);
    return is_wanted;
}

// The other threads of the process, and with them whoever held the lock, do not exist in the child.
void forked(void*) {
    lock = dr_mutex_create();
}

void module_unloaded(void*, const module_data_t* module) {
    dr_mutex_lock(lock);
    reset_records(dynamorio::range_of(module));
    dr_mutex_unlock(lock);
}

bool is_within(const char* name, uint64_t value, uint64_t least, uint64_t most) {
    if (value >= least && value <= most) return true;
    dr_fprintf(STDERR, "malloom: %s=%llu is not possible; give %llu to %llu\n", name, value, least, most);
    return false;
}

bool are_possible(const Options& wanted) {
    return is_within("threshold", wanted.threshold, 8, TraceProfile::rows) &&
           is_within("patience", wanted.patience, 1, 65535) && is_within("line", wanted.line, 16, 4096) &&
           is_within("distance", wanted.distance, 1, 4096) &&
           is_within("stride", wanted.stride, 1, most_distance_bytes) &&
           is_within("rounds", wanted.rounds, 1, DistanceTrial::most_rounds) &&
           is_within("gain", wanted.gain, 0, 99);
}

}  // namespace

// dr_delete_fragment() is for code that one thread has alone. Shared code could only be flushed, and
// DynamoRIO then flushes all code of its module.
bool has_private_code() {
    uint64 is_private = 0;
    if (dr_get_integer_option("thread_private", &is_private) && is_private != 0) return true;
    dr_fprintf(STDERR,
               "malloom: the optimiser cannot prefetch in shared code; give DynamoRIO -thread_private\n");
    return false;
}

bool init_trace_prefetching(const Options& wanted) {
    options = wanted;
    if (!are_possible(options) || !has_private_code()) return false;
    lock = dr_mutex_create();
    init_profiled_traces(options);
    dr_register_fork_init_event(forked);
    dr_register_module_unload_event(module_unloaded);
    return init_trace_records() && init_profiling_code();
}

// What was inserted is emitted with its translations, so DynamoRIO asks to build a trace once more only where
// nothing was.
dr_emit_flags_t optimize_trace(void* context, void* tag, instrlist_t* trace, bool translating) {
    if (translating || !is_of_interest(trace, tag)) return DR_EMIT_DEFAULT;
    const BuiltTrace built{context, trace, TraceLoads(trace, options)};
    if (built.loads.count() == 0) return DR_EMIT_DEFAULT;
    dr_mutex_lock(lock);
    const bool has_changed = optimize(built, tag);
    dr_mutex_unlock(lock);
    return has_changed ? DR_EMIT_STORE_TRANSLATIONS : DR_EMIT_DEFAULT;
}

}  // namespace malloom::optimizer
