// How much and when each request's object is accessed.
#pragma once

#include <stdint.h>

#include <vector>

#include "src/native/accesses/source.h"

namespace malloom::native {

/// Two share a cache line, so that all that an access changes of its request costs one miss.
struct alignas(32) RequestUsage {
    uint64_t accesses = 0;
    uint64_t first_access = never;  ///< position in the stream
    uint64_t last_access = never;   ///< position in the stream
    uint64_t steady_use = never;    ///< position of the first one since a moment that SteadyPhase chooses
};

/// Counts `count` accesses (weights included), the first at position `first`, the last at `last`.
inline void add_run(RequestUsage& usage, uint64_t count, uint64_t first, uint64_t last) {
    usage.accesses += count;
    if (usage.first_access == never) usage.first_access = first;
    usage.last_access = last;
}

/// Splits a stream into runs of the same request and hands each to `consume(request, count, first, last)`, so
/// that the cost is one cache miss per change of object; `prefetch(request)` is called for each a while
/// before. Accesses of requests not below `requests` only count as positions. Returns how many accesses there
/// were.
template <class Prefetch, class Consume>
uint64_t for_each_run(AccessSource& source, size_t requests, Prefetch&& prefetch, Consume&& consume) {
    constexpr size_t ahead = 24;
    uint64_t position = 0, count = 0, first = 0, last = 0;
    uint32_t current = ~uint32_t{0};
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (size_t i = 0; i < batch.size(); ++i) {
            const ResolvedAccess& access = batch[i];
            if (i + ahead < batch.size() && batch[i + ahead].request < requests) {
                prefetch(batch[i + ahead].request);
            }
            if (access.request != current) {
                if (count != 0) consume(current, count, first, last);
                if (access.request >= requests) {
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
    return position;
}

}  // namespace malloom::native
