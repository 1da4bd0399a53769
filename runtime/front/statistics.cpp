#include "runtime/front/statistics.h"

#include <fcntl.h>
#include <unistd.h>

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
    uint64_t pools;
};

PoolCounts count_pools(Sites& sites) {
    PoolCounts counts = {};
    sites.for_each([&](const Sites::Contexts::Entry& entry) {
        ++counts.sites;
        counts.pools += entry.value.kind() == Site::Kind::pooled;
    });
    const uint32_t dynamic = __atomic_load_n(&malloom_dynamic_sites.count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < dynamic && i < DynamicSites::capacity; ++i) {
        ++counts.sites;
        counts.pools += malloom_dynamic_sites.sites[i].pool != 0;
    }
    return counts;
}

}  // namespace

DynamicCounts dynamic_counts = {};

void Statistics::open(const char* region_heap, bool is_json) {
    dynamic_counts.are_wanted = true;
    region_heap_ = region_heap;
    is_json_ = is_json;
    descriptor_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, descriptor_from);
}

void Statistics::count_matched(size_t bytes) {
    __atomic_fetch_add(&matched_, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&matched_bytes_, bytes, __ATOMIC_RELAXED);
}

void Statistics::count_pooled(size_t bytes) {
    __atomic_fetch_add(&pooled_, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pooled_bytes_, bytes, __ATOMIC_RELAXED);
}

int Statistics::descriptor() const {
    return descriptor_ >= 0 ? descriptor_ : STDERR_FILENO;
}

void Statistics::add_pooled(platform::Line& line, uint64_t requests, Sites& sites) const {
    const PoolCounts counts = count_pools(sites);
    if (!sites.has_pools() && counts.pools == 0) {
        return;
    }
    const uint64_t pooled = pooled_ + dynamic_counts.requests;
    line.text(", pooled ").number(pooled).text(" (").percent(pooled, requests).text(", ");
    line.bytes(pooled_bytes_ + dynamic_counts.bytes).text(") in ");
    if (counts.pools == 0) {
        line.text("pools that all sites share");
        return;
    }
    line.number(counts.pools).text(counts.pools == 1 ? " pool of " : " pools of ");
    line.number(counts.sites).text(counts.sites == 1 ? " site" : " sites");
}

void Statistics::write(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
                       Sites& sites) const {
    if (is_json_) {
        write_object(state, given_up, groups, stopped_groups, sites);
    } else {
        write_line(state, given_up, groups, stopped_groups, sites);
    }
}

uint64_t Statistics::requests() const {
    return matched_ + grouped_ + pooled_ + dynamic_counts.requests + in_region_ + fallback_;
}

void Statistics::write_object(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
                              Sites& sites) const {
    const PoolCounts counts = count_pools(sites);
    struct Count {
        const char* name;
        uint64_t value;
    };
    const Count all[] = {{"process", static_cast<uint64_t>(getpid())},
                         {"contexts_given_up", given_up},
                         {"requests", requests()},
                         {"matched", matched_},
                         {"matched_bytes", matched_bytes_},
                         {"grouped", grouped_},
                         {"groups", groups},
                         {"groups_stopped", stopped_groups},
                         {"pooled", pooled_ + dynamic_counts.requests},
                         {"pooled_bytes", pooled_bytes_ + dynamic_counts.bytes},
                         {"pools", counts.pools},
                         {"sites", counts.sites},
                         {"in_region", in_region_},
                         {"fallback", fallback_},
                         {"peak_resident_bytes", platform::peak_resident_bytes()}};
    platform::Line line;
    line.text("{\"plan\": \"").text(state).text("\"");
    for (const Count& each : all) {
        line.text(", \"").text(each.name).text("\": ").number(each.value);
    }
    line.text("}").write_to(descriptor());
}

void Statistics::write_line(const char* state, uint64_t given_up, uint32_t groups, uint32_t stopped_groups,
                            Sites& sites) const {
    const uint64_t requests = this->requests();
    platform::Line line;
    line.text("malloom: process ").number(static_cast<uint64_t>(getpid())).text(": plan ").text(state);
    if (given_up != 0) {
        line.text(", ").number(given_up).text(" contexts did not fit");
    }
    line.text("; requests ")
        .number(requests)
        .text(", matched ")
        .number(matched_)
        .text(" (")
        .percent(matched_, requests)
        .text(", ");
    line.bytes(matched_bytes_)
        .text("), grouped ")
        .number(grouped_)
        .text(" in ")
        .number(groups)
        .text(groups == 1 ? " group (" : " groups (");
    line.number(stopped_groups).text(" stopped)");
    add_pooled(line, requests, sites);
    if (region_heap_ != nullptr) {
        line.text(", ").text(region_heap_).text(" ").number(in_region_);
        process_heaps.describe_region(line);
    }
    line.text(", fallback ").number(fallback_).text("; peak resident memory ");
    line.bytes(platform::peak_resident_bytes());
    planned_prefetches.describe(line);
    line.write_to(descriptor());
}

}  // namespace malloom::front
