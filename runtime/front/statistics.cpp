#include "runtime/front/statistics.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/context/token.h"
#include "runtime/front/dynamic_entries.h"
#include "runtime/front/planned_prefetches.h"
#include "runtime/front/process_heaps.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::front {

namespace {

// Programs number their own descriptors from below; shells use those from 10 and 255.
constexpr int descriptor_from = 300;

struct PoolCounts {
    uint64_t sites;
    uint64_t tokens;  ///< of the sites
    uint64_t pools;
};

PoolCounts count_pools(Sites& sites) {
    PoolCounts counts = {};
    sites.for_each([&](const Sites::Contexts::Entry& entry) {
        ++counts.sites;
        counts.tokens += context::is_token(entry.frames[0]);
        counts.pools += entry.value.kind() == Site::Kind::pooled;
    });
    const uint32_t dynamic = __atomic_load_n(&malloom_dynamic_sites.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < dynamic && i < DynamicSites::capacity; ++i) {
        ++counts.sites;
        counts.pools += malloom_dynamic_sites.sites[i].pool != 0;
    }
    return counts;
}

uint64_t cpu_microseconds() {
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
        return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

// Names with a character that JSON would have escaped are told as if there were none.
void add_executable(platform::Line& line, const platform::ExecutableName& name) {
    for (const char* each = name.text; *each != '\0'; ++each) {
        if (*each < ' ' || *each > '~' || *each == '"' || *each == '\\') {
            return;
        }
    }
    line.text(", \"executable\": \"").text(name.text).text("\"");
}

}  // namespace

DynamicCounts dynamic_counts = {};

void Statistics::open(const char* region_heap, bool is_json) {
    dynamic_counts.are_wanted = true;
    region_heap_ = region_heap;
    is_json_ = is_json;
    executable_.find();  // a process may give up asking the system
    struct stat status = {};
    if (fstat(STDERR_FILENO, &status) == 0) {
        has_output_ = true;
        device_ = status.st_dev;
        inode_ = status.st_ino;
        descriptor_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, descriptor_from);
    }
}

void Statistics::count(Owner owner, size_t bytes) {
    Count& counted = counts_[static_cast<unsigned>(owner)];
    __atomic_fetch_add(&counted.requests, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counted.bytes, bytes, __ATOMIC_RELAXED);
}

// What the optimiser's pools have served is pooled too.
Statistics::Count Statistics::of(Owner owner) const {
    Count counted = counts_[static_cast<unsigned>(owner)];
    if (owner == Owner::pools) {
        counted.requests += dynamic_counts.requests;
        counted.bytes += dynamic_counts.bytes;
    }
    return counted;
}

int Statistics::descriptor() const {
    // The program may have closed either, and another of its files may have got the number since.
    struct stat status = {};
    for (const int each : {descriptor_, STDERR_FILENO}) {
        if (has_output_ && fstat(each, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) {
            return each;
        }
    }
    return -1;
}

void Statistics::add_pooled(platform::Line& line, uint64_t requests, Sites& sites) const {
    const PoolCounts counts = count_pools(sites);
    if (!sites.has_pools() && counts.pools == 0) {
        return;
    }
    const Count pooled = of(Owner::pools);
    line.text(", pooled ").number(pooled.requests).text(" (").percent(pooled.requests, requests).text(", ");
    line.bytes(pooled.bytes).text(") in ");
    if (counts.pools == 0) {
        line.text("pools that all sites share");
        return;
    }
    line.number(counts.pools).text(counts.pools == 1 ? " pool of " : " pools of ");
    line.number(counts.sites).text(counts.sites == 1 ? " site" : " sites");
    if (counts.tokens != 0) {
        line.text(", ").number(counts.tokens).text(" by token");
    }
}

void Statistics::write(const PlanFate& plan, Sites& sites) const {
    if (is_json_) {
        write_object(plan, sites);
    } else {
        write_line(plan, sites);
    }
}

uint64_t Statistics::requests() const {
    uint64_t requests = dynamic_counts.requests;
    for (const Count& counted : counts_) {
        requests += counted.requests;
    }
    return requests;
}

void Statistics::write_object(const PlanFate& plan, Sites& sites) const {
    const PoolCounts counts = count_pools(sites);
    struct Named {
        const char* name;
        uint64_t value;
    };
    const Named all[] = {{"process", static_cast<uint64_t>(getpid())},
                         {"plan_ended_at", plan.ended_at},
                         {"contexts_given_up", plan.given_up},
                         {"requests", requests()},
                         {"matched", of(Owner::plan).requests},
                         {"matched_bytes", of(Owner::plan).bytes},
                         {"grouped", of(Owner::groups).requests},
                         {"groups", plan.groups},
                         {"groups_stopped", plan.stopped_groups},
                         {"pooled", of(Owner::pools).requests},
                         {"pooled_bytes", of(Owner::pools).bytes},
                         {"pools", counts.pools},
                         {"sites", counts.sites},
                         {"tokens", counts.tokens},
                         {"in_region", of(Owner::region).requests},
                         {"fallback", of(Owner::fallback).requests},
                         {"fallback_left_at", heaps::next_allocator.left_at()},
                         {"cpu_microseconds", cpu_microseconds()},
                         {"peak_resident_bytes", platform::peak_resident_bytes()}};
    platform::Line line;
    line.text("{\"plan\": \"").text(plan.state).text("\"");
    add_executable(line, executable_);
    for (const Named& each : all) {
        line.text(", \"").text(each.name).text("\": ").number(each.value);
    }
    line.text("}").write_to(descriptor());
}

void Statistics::write_line(const PlanFate& plan, Sites& sites) const {
    const uint64_t requests = this->requests();
    const Count matched = of(Owner::plan);
    platform::Line line;
    line.text("malloom: process ").number(static_cast<uint64_t>(getpid())).text(": plan ").text(plan.state);
    if (plan.ended_at != 0) {
        line.text(" at request ").number(plan.ended_at);
    }
    if (plan.given_up != 0) {
        line.text(", ").number(plan.given_up).text(" contexts did not fit");
    }
    line.text("; requests ")
        .number(requests)
        .text(", matched ")
        .number(matched.requests)
        .text(" (")
        .percent(matched.requests, requests)
        .text(", ");
    line.bytes(matched.bytes)
        .text("), grouped ")
        .number(of(Owner::groups).requests)
        .text(" in ")
        .number(plan.groups)
        .text(plan.groups == 1 ? " group (" : " groups (");
    line.number(plan.stopped_groups).text(" stopped)");
    add_pooled(line, requests, sites);
    if (region_heap_ != nullptr) {
        line.text(", ").text(region_heap_).text(" ").number(of(Owner::region).requests);
        process_heaps.describe_region(line);
    }
    line.text(", fallback ").number(of(Owner::fallback).requests);
    if (const size_t left_at = heaps::next_allocator.left_at()) {
        line.text(", left at ").bytes(left_at).text(" for the C library's");
    }
    line.text("; peak resident memory ");
    line.bytes(platform::peak_resident_bytes());
    planned_prefetches.describe(line);
    line.write_to(descriptor());
}

}  // namespace malloom::front
