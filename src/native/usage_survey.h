// How much and when each request's object is accessed.
#pragma once

#include <stdint.h>

#include <vector>

#include "src/native/access_source.h"

namespace malloom::native {

constexpr uint64_t never = ~uint64_t{0};

struct RequestUsage {
    uint64_t accesses = 0;
    uint64_t first_access = never;  ///< position in the stream
    uint64_t last_access = never;   ///< position in the stream
};

/// Counts accesses as they stream by. Accesses in a row to the same object are folded into one step, so that
/// the cost is one cache miss per change of object.
class UsageSurvey {
  public:
    explicit UsageSurvey(size_t requests) : usage_(requests) {}

    /// `count` accesses (weights included) of `request`, the first at position `first`, the last at `last`.
    void add_run(uint32_t request, uint64_t count, uint64_t first, uint64_t last) {
        RequestUsage& usage = usage_[request];
        usage.accesses += count;
        if (usage.first_access == never) usage.first_access = first;
        usage.last_access = last;
    }

    std::vector<RequestUsage>& usage() { return usage_; }

  private:
    std::vector<RequestUsage> usage_;
};

/// Splits a stream into runs of the same request and hands each to `consume(request, count, first, last)`.
/// Accesses of requests not below `requests` are left out. Returns how many were.
template <class Consume>
uint64_t for_each_run(AccessSource& source, size_t requests, Consume&& consume) {
    uint64_t position = 0, unknown = 0, count = 0, first = 0, last = 0;
    uint32_t current = ~uint32_t{0};
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (const ResolvedAccess& access : batch) {
            if (access.request != current) {
                if (count != 0) consume(current, count, first, last);
                if (access.request >= requests) {
                    ++unknown;
                    ++position;
                    current = ~uint32_t{0};
                    count = 0;
                    continue;
                }
                current = access.request;
                count = 0;
                first = position;
            }
            count += access.weight;
            last = position++;
        }
    }
    if (count != 0) consume(current, count, first, last);
    return unknown;
}

}  // namespace malloom::native
