#include "src/native/survey/context_affinity.h"

#include <algorithm>

namespace malloom::native {

void ContextAffinity::add(const ResolvedAccess& access) {
    if (access.request >= context_of_request_.size()) return;
    const uint64_t bytes = uint64_t{access.size()} * access.weight;
    if (count_ != 0 && entry(count_ - 1).request == access.request) {
        entry(count_ - 1).bytes += bytes;
        return;
    }
    add_edges(access.request);
    ++uses_[context_of_request_[access.request]];
    entry(count_) = {access.request, bytes};
    newest_[access.request] = ++count_;
}

/// Of entries of one object only the newest counts.
void ContextAffinity::add_edges(uint32_t request) {
    const uint32_t context = context_of_request_[request];
    const uint32_t oldest = count_ - std::min(count_, window);
    uint64_t between = 0;
    for (uint32_t number = count_; number > oldest && between < distance_; --number) {
        const Recent& other = entry(number - 1);
        between += other.bytes;
        if (other.request == request || newest_[other.request] != number) continue;
        const uint32_t other_context = context_of_request_[other.request];
        builder_.add(other_context, context);
        if (other_context != context) builder_.add(context, other_context);
    }
}

}  // namespace malloom::native
