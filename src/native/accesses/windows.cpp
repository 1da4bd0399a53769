#include "src/native/accesses/windows.h"

#include <algorithm>

namespace malloom::native {

bool WindowedAccesses::refill() {
    if (rest_.empty()) rest_ = source_->next_batch();
    return !rest_.empty();
}

std::span<const ResolvedAccess> WindowedAccesses::next_batch() {
    while (left_out_ > 0 && refill()) {
        const uint64_t count = std::min<uint64_t>(left_out_, rest_.size());
        rest_ = rest_.subspan(count);
        left_out_ -= count;
    }
    if (!refill()) return {};
    const uint64_t count = std::min<uint64_t>(left_in_, rest_.size());
    const auto batch = rest_.first(count);
    rest_ = rest_.subspan(count);
    left_in_ -= count;
    if (left_in_ == 0) {
        left_in_ = take_;
        left_out_ = skip_;
    }
    return batch;
}

uint64_t expected_in_windows(uint64_t accesses, uint64_t skip, uint64_t take) {
    if (take == 0) return accesses;
    const double share = static_cast<double>(take) / (static_cast<double>(skip) + static_cast<double>(take));
    return static_cast<uint64_t>(share * static_cast<double>(accesses));
}

std::unique_ptr<AccessSource> windowed(std::unique_ptr<AccessSource> source, uint64_t skip, uint64_t take) {
    if (take == 0) return source;
    return std::make_unique<WindowedAccesses>(std::move(source), skip, take);
}

}  // namespace malloom::native
