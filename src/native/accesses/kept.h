// A sample of a stream, kept in memory while the stream goes by, so that it need not be decoded again.
#pragma once

#include <stdint.h>

#include <memory>
#include <span>
#include <vector>

#include "src/native/accesses/source.h"

namespace malloom::native {

/// Windows of accesses: in turn `skip` are left out and `take` are kept; take 0: all are. 16 bytes each.
/// Filled by one thread; then any number may open it.
class KeptAccesses {
  public:
    /// `expected` is about how many accesses the stream has.
    KeptAccesses(uint64_t skip, uint64_t take, uint64_t expected);

    void add(std::span<const ResolvedAccess> batch);

    /// Whether open() has what WindowedAccesses(stream, skip, take) would yield, or with take 0 the stream.
    bool serves(uint64_t skip, uint64_t take) const;

    /// The same accesses as WindowedAccesses of the stream. There must be such (see serves()).
    std::unique_ptr<AccessSource> open(uint64_t skip, uint64_t take) const;

    /// About how many accesses open() yields.
    uint64_t expected(uint64_t skip, uint64_t take) const;

  private:
    uint64_t skip_;
    uint64_t take_;
    uint64_t position_ = 0;  ///< in the current round of skip and take
    std::shared_ptr<std::vector<ResolvedAccess>> kept_;
};

/// Yields what `source` does and keeps what `kept` wants of it. Both must outlive it.
class KeepingAccesses : public AccessSource {
  public:
    KeepingAccesses(AccessSource& source, KeptAccesses& kept) : source_(source), kept_(kept) {}

    std::span<const ResolvedAccess> next_batch() override {
        const auto batch = source_.next_batch();
        kept_.add(batch);
        return batch;
    }

  private:
    AccessSource& source_;
    KeptAccesses& kept_;
};

}  // namespace malloom::native
