#include "src/native/orders_first_use.h"

#include <algorithm>
#include <stdexcept>

namespace malloom::native {

std::vector<Stretch> survey_stretches(AccessSource& source, uint32_t requests, uint64_t length) {
    std::vector<Stretch> stretches;
    std::vector<bool> used(requests);
    uint64_t at = 0;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        for (const ResolvedAccess& access : batch) {
            if (at++ % length == 0) {
                stretches.emplace_back();
            }
            if (access.request >= requests) {
                throw std::out_of_range("an access belongs to no request of the profile");
            }
            ++stretches.back().accesses;
            if (!used[access.request]) {
                used[access.request] = true;
                ++stretches.back().first_uses;
            }
        }
    }
    return stretches;
}

Phase steady_phase(const std::vector<Stretch>& stretches, uint64_t length, uint64_t rarity) {
    Phase longest;
    uint64_t begin = 0;
    for (uint64_t i = 0; i < stretches.size(); ++i) {
        if (stretches[i].first_uses * rarity > stretches[i].accesses) {
            begin = i + 1;
        } else if ((i + 1 - begin) * length > longest.end - longest.begin) {
            longest = {begin * length, (i + 1) * length};
        }
    }
    return longest;
}

std::vector<uint64_t> first_uses_in(AccessSource& source, uint32_t requests, const Phase& phase) {
    std::vector<uint64_t> first(requests, UINT64_MAX);
    uint64_t at = 0;
    for (auto batch = source.next_batch(); !batch.empty() && at < phase.end; batch = source.next_batch()) {
        const uint64_t skipped = std::min<uint64_t>(phase.begin > at ? phase.begin - at : 0, batch.size());
        for (uint64_t i = skipped; i < batch.size() && at + i < phase.end; ++i) {
            uint64_t& position = first.at(batch[i].request);
            position = std::min(position, at + i);
        }
        at += batch.size();
    }
    return first;
}

}  // namespace malloom::native
