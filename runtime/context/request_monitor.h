// What the recent requests of a call site have in common.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::context {

/// The memory request monitor of Zhao, Rabbah and Wong (section 2): it keeps the size of the last request,
/// and the site is worth a pool where recent requests agree with it. Theirs looks once, when code becomes
/// hot; this one goes on looking, so it bears some that differ: the constants below, in requests. It sees
/// only the requests that no pool serves. Any thread; threads that race may lose a count.
class RequestMonitor {
  public:
    /// Requests of one size in a row that make a pool. A pool of fewer would not even fill a page.
    static constexpr uint32_t pooling_after = 8;
    /// Changes of size before requests disagree.
    static constexpr uint32_t most_changes = 32;
    /// Requests of other sizes that a pool's site may make before it is watched again; four times as many
    /// each time that it then agrees again.
    static constexpr uint32_t first_allowance = 32;
    /// Pools of different sizes that a site may have one after the other.
    static constexpr uint32_t most_pools = 4;

    enum class Verdict : uint8_t {
        unknown,   ///< too early to say
        agree,     ///< a pool of the last request's size pays
        disagree,  ///< no pool will
    };

    /// Looks at a request of a site that has no pool now.
    Verdict observe(size_t bytes) {
        const uint32_t size = bytes < UINT32_MAX ? static_cast<uint32_t>(bytes) : UINT32_MAX;
        if (size != load(last_)) {
            store(last_, size);
            store(in_a_row_, 1);
            return add(changes_) > most_changes ? Verdict::disagree : Verdict::unknown;
        }
        return add(in_a_row_) >= pooling_after ? begin_pool(size) : Verdict::unknown;
    }

    /// Looks at a request of a site whose pool is for another size. True where the pool should no longer
    /// serve the site: from then on `observe` decides again.
    bool observe_other_size() {
        if (add(other_sizes_) < load(allowance_)) {
            return false;
        }
        store(other_sizes_, 0);
        store(changes_, 0);
        store(in_a_row_, 0);
        return true;
    }

    /// Of the last request that `observe` saw, in bytes; UINT32_MAX before the first.
    uint32_t last_bytes() const { return load(last_); }

  private:
    static uint32_t load(const uint32_t& field) { return __atomic_load_n(&field, __ATOMIC_RELAXED); }
    static void store(uint32_t& field, uint32_t value) { __atomic_store_n(&field, value, __ATOMIC_RELAXED); }
    static uint32_t add(uint32_t& field) {
        const uint32_t now = load(field) + 1;
        store(field, now);
        return now;
    }

    Verdict begin_pool(uint32_t size) {
        if (size == load(pooled_)) {
            store(allowance_, load(allowance_) < UINT32_MAX / 4 ? 4 * load(allowance_) : UINT32_MAX);
            return Verdict::agree;
        }
        store(pooled_, size);
        store(allowance_, first_allowance);
        return add(pools_) > most_pools ? Verdict::disagree : Verdict::agree;
    }

    uint32_t last_ = UINT32_MAX;
    uint32_t in_a_row_ = 0;
    uint32_t changes_ = 0;
    uint32_t other_sizes_ = 0;
    uint32_t allowance_ = first_allowance;
    uint32_t pools_ = 0;            // that there have been
    uint32_t pooled_ = UINT32_MAX;  // size of the last one
};

}  // namespace malloom::context
