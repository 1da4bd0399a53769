#include "optimizer/trace_records.h"

#include <hashtable.h>
#include <string.h>

namespace malloom::optimizer {

namespace {

constexpr uint table_bits = 10;        // it grows
constexpr size_t most_profiles = 128;  // 4.4 MiB

hashtable_t records;

// In the order of being taken; the free ones anywhere.
ProfileInUse* profiles;
ProfileInUse* next_victim;
size_t profile_count;
TrialInUse* trials;
ProfileInUse* unread;  // of traces that have none of their own

template <typename InUse>
InUse* free_one(InUse* first) {
    while (first != nullptr && first->record != nullptr) first = first->next;
    return first;
}

template <typename InUse>
InUse* map_one(InUse*& first) {
    auto* const made =
        static_cast<InUse*>(dr_raw_mem_alloc(sizeof(InUse), DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (made == nullptr) return nullptr;
    made->record = nullptr;
    made->next = first;
    first = made;
    return made;
}

ProfileInUse* evict() {
    if (next_victim == nullptr) next_victim = profiles;
    ProfileInUse* const victim = next_victim;
    next_victim = victim->next;
    TraceRecord* const record = victim->record;
    record->state = TraceState::fresh;
    give_back_profile(record);
    return victim;
}

ProfileInUse* free_profile() {
    ProfileInUse* found = free_one(profiles);
    if (found == nullptr && profile_count < most_profiles) {
        found = map_one(profiles);
        profile_count += found != nullptr;
    }
    return found != nullptr || profiles == nullptr ? found : evict();
}

void reset(TraceRecord* record) {
    give_back_profile(record);
    give_back_trial(record);
    record->state = TraceState::fresh;
    record->profiled = 0;
}

struct CodeRange {
    app_pc start, end;
};

void reset_inside(void* payload, void* range) {
    auto* const record = static_cast<TraceRecord*>(payload);
    const auto* const code = static_cast<CodeRange*>(range);
    if (record->tag >= code->start && record->tag < code->end) reset(record);
}

}  // namespace

bool init_trace_records() {
    hashtable_init_ex(&records, table_bits, HASH_INTPTR, false, false, nullptr, nullptr, nullptr);
    ProfileInUse* none = nullptr;
    unread = map_one(none);
    return unread != nullptr;
}

TraceRecord* record_of(void* tag) {
    auto* record = static_cast<TraceRecord*>(hashtable_lookup(&records, tag));
    if (record != nullptr) return record;
    record = static_cast<TraceRecord*>(dr_global_alloc(sizeof(TraceRecord)));
    memset(static_cast<void*>(record), 0, sizeof *record);
    record->tag = tag;
    record->counter.profile = &unread->profile;
    hashtable_add(&records, tag, record);
    return record;
}

bool take_profile(TraceRecord* record) {
    if (record->profile == nullptr) record->profile = free_profile();
    if (record->profile == nullptr) return false;
    record->profile->record = record;
    record->profile->profile.begin();
    record->counter.profile = &record->profile->profile;
    return true;
}

void give_back_profile(TraceRecord* record) {
    record->counter.profile = &unread->profile;
    if (record->profile != nullptr) record->profile->record = nullptr;
    record->profile = nullptr;
}

DistanceTrial* take_trial(TraceRecord* record) {
    if (record->trial == nullptr) record->trial = free_one(trials);
    if (record->trial == nullptr) record->trial = map_one(trials);
    if (record->trial == nullptr) return nullptr;
    record->trial->record = record;
    return &record->trial->trial;
}

void give_back_trial(TraceRecord* record) {
    if (record->trial != nullptr) record->trial->record = nullptr;
    record->trial = nullptr;
}

void forget_records(app_pc start, app_pc end) {
    CodeRange range{start, end};
    hashtable_apply_to_all_payloads_user_data(&records, reset_inside, &range);
}

}  // namespace malloom::optimizer
