// A stream of accesses that a command reads: how far it is, and that the command can be interrupted
// meanwhile.
#pragma once

#include <nanobind/nanobind.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <span>
#include <utility>

#include "src/native/accesses/source.h"

namespace malloom::native {

/// How far the stream is that is being read; both 0 where none is. Any thread may look.
struct Reading {
    std::atomic<uint64_t> done{0};      ///< accesses
    std::atomic<uint64_t> expected{0};  ///< about how many there are in all
};

inline Reading reading;  // of the last stream that was read from, as a command reads one at a time

/// Yields what `source` does, of which about `expected` accesses will come. Throws nanobind::python_error
/// where a signal's handler in Python raises, as for Ctrl-C; so no caller need look for that.
class WatchedAccesses : public AccessSource {
  public:
    WatchedAccesses(std::unique_ptr<AccessSource> source, uint64_t expected)
        : source_(std::move(source)), expected_(expected) {}
    WatchedAccesses(const WatchedAccesses&) = delete;
    WatchedAccesses& operator=(const WatchedAccesses&) = delete;
    ~WatchedAccesses() override { tell(0, 0); }

    std::span<const ResolvedAccess> next_batch() override {
        const auto batch = source_->next_batch();
        const uint64_t before = done_;
        done_ += batch.size();
        if (batch.empty()) {
            tell(0, 0);
        } else {
            tell(done_, expected_);
        }
        if (before / accesses_between_looks != done_ / accesses_between_looks) look_for_signals();
        return batch;
    }

  private:
    /// A tenth of a second where an access costs most.
    static constexpr uint64_t accesses_between_looks = uint64_t{1} << 16;

    static void tell(uint64_t done, uint64_t expected) {
        reading.done.store(done, std::memory_order_relaxed);
        reading.expected.store(expected, std::memory_order_relaxed);
    }

    static void look_for_signals() {
        const nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

    std::unique_ptr<AccessSource> source_;
    uint64_t expected_;
    uint64_t done_ = 0;
};

/// The same accesses, watched.
inline std::unique_ptr<AccessSource> watched(std::unique_ptr<AccessSource> source, uint64_t expected) {
    return std::make_unique<WatchedAccesses>(std::move(source), expected);
}

}  // namespace malloom::native
