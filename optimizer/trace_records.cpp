#include "optimizer/trace_records.h"

#include <hashtable.h>
#include <string.h>

namespace malloom::optimizer {

namespace {

constexpr uint table_bits = 10;        // it grows
constexpr size_t most_profiles = 128;  // 4.4 MiB

hashtable_t records;

// All in use are taken in turn: what is taken again was taken longest ago.
ProfileInUse* profiles[most_profiles];
size_t next_profile;
TrialInUse* trials;
ProfileInUse* unread;  // of traces that have none of their own

template <typename InUse>
InUse* map_one() {
    auto* const made =
        static_cast<InUse*>(dr_raw_mem_alloc(sizeof(InUse), DR_MEMPROT_READ | DR_MEMPROT_WRITE, nullptr));
    if (made != nullptr) made->record = nullptr;
    return made;
}

TrialInUse* free_trial() {
    TrialInUse* found = trials;
    while (found != nullptr && found->record != nullptr) found = found->next;
    if (found != nullptr) return found;
    found = map_one<TrialInUse>();
    if (found == nullptr) return nullptr;
    found->next = trials;
    trials = found;
    return found;
}

// One that was used before is in the cache, and its memory is there.
ProfileInUse* free_profile() {
    for (ProfileInUse* const profile : profiles)
        if (profile != nullptr && profile->record == nullptr) return profile;
    return nullptr;
}

ProfileInUse* profile_in_turn() {
    if (ProfileInUse* const found = free_profile()) return found;
    ProfileInUse*& profile = profiles[next_profile++ % most_profiles];
    if (profile == nullptr) profile = map_one<ProfileInUse>();
    if (profile != nullptr && profile->record != nullptr) {
        profile->record->state = TraceState::fresh;
        release_profile(profile->record);
    }
    return profile;
}

void reset(TraceRecord* record) {
    release_profile(record);
    release_trial(record);
    record->state = TraceState::fresh;
    record->profiled = 0;
}

void reset_inside(void* payload, void* range) {
    auto* const record = static_cast<TraceRecord*>(payload);
    if (static_cast<dynamorio::AddressRange*>(range)->contains(static_cast<app_pc>(record->tag)))
        reset(record);
}

}  // namespace

bool init_trace_records() {
    hashtable_init_ex(&records, table_bits, HASH_INTPTR, false, false, nullptr, nullptr, nullptr);
    unread = map_one<ProfileInUse>();
    return unread != nullptr;
}

TraceRecord* find_record(void* tag) {
    return static_cast<TraceRecord*>(hashtable_lookup(&records, tag));
}

TraceRecord* add_record(void* tag) {
    auto* const record = static_cast<TraceRecord*>(dr_global_alloc(sizeof(TraceRecord)));
    memset(static_cast<void*>(record), 0, sizeof *record);
    record->tag = tag;
    record->counter.profile = &unread->profile;
    hashtable_add(&records, tag, record);
    return record;
}

bool acquire_profile(TraceRecord* record, size_t loads) {
    if (record->profile == nullptr) record->profile = profile_in_turn();
    if (record->profile == nullptr) return false;
    record->profile->record = record;
    record->profile->profile.begin(loads);
    record->counter.profile = &record->profile->profile;
    return true;
}

void release_profile(TraceRecord* record) {
    record->counter.profile = &unread->profile;
    if (record->profile != nullptr) record->profile->record = nullptr;
    record->profile = nullptr;
}

DistanceTrial* acquire_trial(TraceRecord* record) {
    if (record->trial == nullptr) record->trial = free_trial();
    if (record->trial == nullptr) return nullptr;
    record->trial->record = record;
    return &record->trial->trial;
}

void release_trial(TraceRecord* record) {
    if (record->trial != nullptr) record->trial->record = nullptr;
    record->trial = nullptr;
}

void reset_records(dynamorio::AddressRange code) {
    hashtable_apply_to_all_payloads_user_data(&records, reset_inside, &code);
}

}  // namespace malloom::optimizer
