#include "src/native/context_affinity.h"

#include <algorithm>

namespace malloom::native {

void ContextAffinity::add(const ResolvedAccess& access) {
    if (access.request >= context_of_request_.size()) return;
    const uint64_t bytes = uint64_t{access.size()} * access.weight;
    if (count_ != 0 && recent(0).request == access.request) {
        recent_[(count_ - 1) % window].bytes += bytes;
        return;
    }
    add_edges(access.request);
    recent_[count_++ % window] = {access.request, bytes};
}

/// Whether an entry newer than the one of `age` is of the same request, which then has counted already.
bool ContextAffinity::newer_has(size_t age, uint32_t request) const {
    for (size_t newer = 0; newer < age; ++newer) {
        if (recent(newer).request == request) return true;
    }
    return false;
}

void ContextAffinity::add_edges(uint32_t request) {
    const uint32_t context = context_of_request_[request];
    uint64_t between = 0;
    const size_t known = std::min<uint64_t>(count_, window);
    for (size_t age = 0; age < known && between < distance_; ++age) {
        const uint32_t other = recent(age).request;
        between += recent(age).bytes;
        if (other == request || newer_has(age, other)) continue;
        const uint32_t other_context = context_of_request_[other];
        builder_.add(other_context, context);
        if (other_context != context) builder_.add(context, other_context);
    }
}

}  // namespace malloom::native
