#include "src/native/array_accesses.h"

#include <algorithm>

namespace malloom::native {

std::span<const ResolvedAccess> ArrayAccesses::next_batch() {
    const size_t count = std::min(batch_accesses, requests_.size() - next_);
    for (size_t i = 0; i < count; ++i) batch_[i] = {requests_[next_ + i], 1, packed_[next_ + i]};
    next_ += count;
    return {batch_.data(), count};
}

}  // namespace malloom::native
