#include "src/native/accesses/kept.h"

#include <algorithm>

#include "src/native/accesses/windows.h"

namespace malloom::native {

namespace {

/// Yields a vector that it shares.
class SharedAccesses : public AccessSource {
  public:
    explicit SharedAccesses(std::shared_ptr<const std::vector<ResolvedAccess>> accesses)
        : accesses_(std::move(accesses)), rest_(*accesses_) {}

    std::span<const ResolvedAccess> next_batch() override {
        constexpr size_t batch_accesses = 8192;
        const auto batch = rest_.first(std::min(batch_accesses, rest_.size()));
        rest_ = rest_.subspan(batch.size());
        return batch;
    }

  private:
    std::shared_ptr<const std::vector<ResolvedAccess>> accesses_;
    std::span<const ResolvedAccess> rest_;
};

}  // namespace

KeptAccesses::KeptAccesses(uint64_t skip, uint64_t take, uint64_t expected)
    : skip_(skip), take_(take), kept_(std::make_shared<std::vector<ResolvedAccess>>()) {
    const uint64_t windows = take == 0 ? 0 : expected / (skip + take) + 1;
    kept_->reserve(take == 0 ? expected : std::min(windows * take, expected));
}

void KeptAccesses::add(std::span<const ResolvedAccess> batch) {
    if (take_ == 0) kept_->insert(kept_->end(), batch.begin(), batch.end());
    while (take_ != 0 && !batch.empty()) {
        const bool keeps = position_ >= skip_;
        const uint64_t count = std::min<uint64_t>((keeps ? skip_ + take_ : skip_) - position_, batch.size());
        if (keeps) kept_->insert(kept_->end(), batch.begin(), batch.begin() + static_cast<ptrdiff_t>(count));
        batch = batch.subspan(count);
        position_ = position_ + count == skip_ + take_ ? 0 : position_ + count;
    }
}

bool KeptAccesses::serves(uint64_t skip, uint64_t take) const {
    return take_ == 0 || (take != 0 && take <= take_ && skip + take == skip_ + take_);
}

std::unique_ptr<AccessSource> KeptAccesses::open(uint64_t skip, uint64_t take) const {
    return windowed(std::make_unique<SharedAccesses>(kept_), take_ == 0 ? skip : take_ - take, take);
}

uint64_t KeptAccesses::expected(uint64_t skip, uint64_t take) const {
    return expected_in_windows(kept_->size(), take_ == 0 ? skip : take_ - take, take);
}

}  // namespace malloom::native
