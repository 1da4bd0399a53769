// Every call chain that asked for memory, each with a number and what the product keeps about it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <atomic>

#include "runtime/context/call_chain.h"
#include "runtime/context/stable_hash.h"
#include "runtime/context/table_memory.h"

namespace malloom::context {

/// Number of the catch-all for what has no entry of its own: too many contexts, or memory is short, or a
/// signal handler asks while its thread is inserting.
inline constexpr uint32_t other_contexts = 0;

/// Maps call chains to entries. Lookup takes no lock and waits for nobody; inserting takes a small one.
/// Entries never move and never go away. All zero at start (constant-initialized), so it can be a static
/// object without constructors.
template <class Value>
class ContextTable {
  public:
    struct alignas(64) Entry {
        uint32_t number = other_contexts;  ///< dense from 1 in order of insertion; 0 is the catch-all
        uint32_t depth = 0;                ///< frames in the chain
        uint64_t key = 0;
        Value value{};
        uintptr_t frames[max_depth] = {};
    };

    /// The entry of this chain (1 to max_depth frames), inserted where new, or the catch-all. `fill(Entry&)`
    /// sets the value of a new entry; it runs before others can see the entry and without the lock, so it may
    /// take its time, but `number` is not known yet, and where two threads race it runs in both and one entry
    /// is dropped.
    template <class Fill>
    Entry& find_or_insert(const uintptr_t* frames, unsigned depth, Fill&& fill) {
        if (Entry* entry = find(frames, depth)) return *entry;
        return insert(frames, depth, fill);
    }

    /// The entry of this chain, or null.
    Entry* find(const uintptr_t* frames, unsigned depth) {
        const uint32_t count = count_.load(std::memory_order_acquire);
        for (uint32_t i = 0; i < count; ++i)
            if (matches(*entries_[i], frames, depth)) return entries_[i];
        return nullptr;
    }

    /// Calls visit(Entry&) for every entry in order of number, the catch-all (number 0, depth 0) first.
    template <class Visit>
    void for_each(Visit&& visit) {
        visit(others_);
        const uint32_t count = count_.load(std::memory_order_acquire);
        for (uint32_t i = 0; i < count; ++i) visit(*entries_[i]);
    }

    Entry& others() { return others_; }
    uint32_t size() const { return count_.load(std::memory_order_relaxed); }

  private:
    static bool matches(const Entry& entry, const uintptr_t* frames, unsigned depth) {
        return entry.depth == depth && memcmp(entry.frames, frames, depth * sizeof(uintptr_t)) == 0;
    }

    template <class Fill>
    Entry& insert(const uintptr_t* frames, unsigned depth, Fill&& fill) {
        const uint32_t count = count_.load(std::memory_order_relaxed);
        if (count == 1024) return others_;
        auto* entry = static_cast<Entry*>(table_memory(sizeof(Entry)));
        if (entry == nullptr) return others_;
        entry->depth = depth;
        memcpy(entry->frames, frames, depth * sizeof(uintptr_t));
        fill(*entry);
        entry->number = count + 1;
        entries_[count] = entry;
        count_.store(count + 1, std::memory_order_release);
        return *entry;
    }

    Entry others_{};
    std::atomic<uint32_t> count_{0};
    Entry* entries_[1024] = {};
};

}  // namespace malloom::context
