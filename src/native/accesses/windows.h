// Windows of a long stream of accesses, so that a consumer slower than the stream can look at samples of it.
#pragma once

#include <memory>
#include <span>

#include "src/native/accesses/source.h"

namespace malloom::native {

/// Of another source, in turn leaves out `skip` accesses and yields the next `take`. `take` must not be 0.
class WindowedAccesses : public AccessSource {
  public:
    WindowedAccesses(std::unique_ptr<AccessSource> source, uint64_t skip, uint64_t take)
        : source_(std::move(source)), skip_(skip), take_(take), left_out_(skip), left_in_(take) {}

    std::span<const ResolvedAccess> next_batch() override;

  private:
    bool refill();

    std::unique_ptr<AccessSource> source_;
    uint64_t skip_;
    uint64_t take_;
    uint64_t left_out_;  ///< accesses still to leave out before the window
    uint64_t left_in_;   ///< accesses still to yield of the window
    std::span<const ResolvedAccess> rest_;
};

/// About how many of so many accesses WindowedAccesses yields; with take 0 all.
uint64_t expected_in_windows(uint64_t accesses, uint64_t skip, uint64_t take);

/// WindowedAccesses; with take 0 the source itself.
std::unique_ptr<AccessSource> windowed(std::unique_ptr<AccessSource> source, uint64_t skip, uint64_t take);

}  // namespace malloom::native
