// Every call chain that asked for memory, each with a number and what the product keeps about it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <atomic>
#include <new>

#include "checks/check.h"
#include "runtime/context/call_chain.h"
#include "runtime/context/chain_key.h"
#include "runtime/context/insert_lock.h"
#include "runtime/context/modules.h"
#include "runtime/context/table_memory.h"

namespace malloom::context {

/// Number of the catch-all for what has no entry of its own: too many contexts, memory is short, or a signal
/// handler asks while its own thread is inserting.
inline constexpr uint32_t other_contexts = 0;

/// Maps call chains to entries. Lookup takes no lock and waits for nobody; inserting takes a small one.
/// Entries never move and never go away. Constant-initialized, so it can be a static object that works before
/// any constructor ran. A chain is known by its key (chain_key.h says how sure that is). Usable in signal
/// handlers and across fork.
template <class Value>
class ContextTable {
  public:
    struct alignas(64) Entry {
        uint32_t number = other_contexts;   ///< dense from 1 in order of insertion; 0 is the catch-all
        uint32_t depth = 0;                 ///< frames in the chain
        uint64_t key = 0;                   ///< of the chain; 0 of the catch-all
        const uintptr_t* frames = nullptr;  ///< return addresses, innermost first
        Value value{};
    };

    /// Real programs have thousands: cc1plus 5,000 at depth 8. With so many the table takes about 30 MiB.
    static constexpr uint32_t default_limit = 1U << 17;

    /// `limit`: the most contexts with an entry of their own.
    constexpr explicit ContextTable(uint32_t limit = default_limit) : limit_(limit) {}
    ContextTable(const ContextTable&) = delete;
    ContextTable& operator=(const ContextTable&) = delete;

    /// The entry of this chain (1 to max_depth frames), inserted where new, or the catch-all. `fill(Entry&)`
    /// sets the value of a new entry; it runs before others can see the entry and without the lock, so it may
    /// ask for modules, but `number` is not known yet, and where two threads race it runs in both and one
    /// entry is dropped.
    template <class Fill>
    [[gnu::always_inline]] Entry& find_or_insert(const uintptr_t* frames, unsigned depth, Fill&& fill) {
        const uint64_t key = chain_key(frames, depth);
        if (Entry* entry = find_key(key)) {
            [[likely]] return *entry;
        }
        return insert(frames, depth, key, fill);
    }

    /// The entry of this chain, or null.
    [[gnu::always_inline]] Entry* find(const uintptr_t* frames, unsigned depth) {
        return find_key(chain_key(frames, depth));
    }

    /// Calls visit(Entry&) for every entry that was there at the call, the catch-all first, the others in no
    /// order.
    template <class Visit>
    void for_each(Visit&& visit) {
        visit(others_);
        Slots* slots = slots_.load(std::memory_order_acquire);
        for (size_t i = 0; slots != nullptr && i < slots->count(); ++i) {
            if (slots->at(i).key.load(std::memory_order_acquire) != 0) {
                visit(*slots->at(i).entry);
            }
        }
    }

    Entry& others() { return others_; }

    /// Whether each entry is found by its key, has a number that was given, and lies with its frames; and the
    /// table is half full at most. Goes through all entries. By whoever inserts, or where nobody does.
    bool is_valid() const noexcept {
        Slots* slots = slots_.load(std::memory_order_acquire);
        if (slots == nullptr) {
            return size() == 0;
        }
        size_t entries = 0;
        for (size_t i = 0; i < slots->count(); ++i) {
            const uint64_t key = slots->at(i).key.load(std::memory_order_acquire);
            if (key != 0 && !is_entry(*slots, key, *slots->at(i).entry)) {
                return false;
            }
            entries += key != 0;
        }
        return entries <= size() && size() <= limit_ && 2 * entries <= slots->count();
    }

    /// Entries besides the catch-all.
    uint32_t size() const { return size_.load(std::memory_order_acquire); }

  private:
    struct Slot {
        std::atomic<uint64_t> key;  // 0: free. Set after the entry, so who sees the key sees the entry.
        Entry* entry;
    };

    // An open-addressed table: a header, then the slots. At most half full. Replaced, never freed: somebody
    // may still read it, and all the older ones together are smaller than the newest.
    struct Slots {       // NOLINT(clang-analyzer-optin.performance.Padding): the slots start a line
        unsigned shift;  // 64 - log2(count)
        // From a line on, so that no slot lies in two.
        alignas(64) Slot first[1];

        size_t count() const { return size_t{1} << (64 - shift); }
        Slot& at(size_t place) { return first[place]; }
        static size_t bytes(size_t count) { return offsetof(Slots, first) + count * sizeof(Slot); }
        size_t place_of(uint64_t key) const { return key * 0x9e3779b97f4a7c15ULL >> shift; }
        size_t next(size_t place) const { return (place + 1) & (count() - 1); }
    };

    static constexpr size_t first_count = 1024;
    static constexpr unsigned first_shift = 64 - 10;

    [[gnu::always_inline]] Entry* find_key(uint64_t key) {
        Slots* slots = slots_.load(std::memory_order_acquire);
        if (slots == nullptr) {
            [[unlikely]] return nullptr;
        }
        Slot* slot = &slots->at(slots->place_of(key));
        const uint64_t found = slot->key.load(std::memory_order_acquire);
        if (found == key) {
            [[likely]] return slot->entry;
        }
        return found != 0 ? probe(*slots, key) : nullptr;
    }

    bool is_entry(Slots& slots, uint64_t key, const Entry& entry) const noexcept {
        const Slot& first = slots.at(slots.place_of(key));
        const Entry* found =
            first.key.load(std::memory_order_acquire) == key ? first.entry : probe(slots, key);
        return found == &entry && entry.key == key && entry.number - 1 < size() && entry.depth != 0 &&
               entry.depth <= max_depth && entry.frames == reinterpret_cast<const uintptr_t*>(&entry + 1);
    }

    [[gnu::noinline]] static Entry* probe(Slots& slots, uint64_t key) {
        for (size_t place = slots.next(slots.place_of(key));; place = slots.next(place)) {
            const uint64_t found = slots.at(place).key.load(std::memory_order_acquire);
            if (found == key) {
                return slots.at(place).entry;
            }
            if (found == 0) {
                return nullptr;
            }
        }
    }

    template <class Fill>
    [[gnu::noinline, gnu::cold]] Entry& insert(const uintptr_t* frames, unsigned depth, uint64_t key,
                                               Fill& fill) {
        Entry* entry = make_entry(frames, depth, key);
        if (entry == nullptr) {
            return others_;
        }
        fill(*entry);
        if (!lock_.acquire()) {
            return others_;
        }
        Entry& published = publish(*entry);
        lock_.release();
        return published;
    }

    Entry* make_entry(const uintptr_t* frames, unsigned depth, uint64_t key) {
        if (key == 0 || size() >= limit_ || !lock_.acquire()) {
            return nullptr;
        }
        void* memory = memory_.take(sizeof(Entry) + depth * sizeof(uintptr_t));
        lock_.release();
        if (memory == nullptr) {
            return nullptr;
        }
        auto* entry = new (memory) Entry;
        auto* copy = reinterpret_cast<uintptr_t*>(entry + 1);
        memcpy(copy, frames, depth * sizeof(uintptr_t));
        entry->depth = depth;
        entry->key = key;
        entry->frames = copy;
        return entry;
    }

    // Under the lock. Whole after every store: an owner may vanish with a fork, and then a number stays
    // unused.
    Entry& publish(Entry& entry) {
        if (Entry* winner = find_key(entry.key)) {
            return *winner;
        }
        Slots* slots = slots_with_room();
        const uint32_t size = size_.load(std::memory_order_relaxed);
        if (slots == nullptr || size >= limit_) {
            return others_;
        }
        entry.number = size + 1;
        size_.store(size + 1, std::memory_order_release);
        place(*slots, entry);
        return entry;
    }

    static void place(Slots& slots, Entry& entry) {
        size_t place = slots.place_of(entry.key);
        while (slots.at(place).key.load(std::memory_order_relaxed) != 0) {
            place = slots.next(place);
        }
        slots.at(place).entry = &entry;
        slots.at(place).key.store(entry.key, std::memory_order_release);
    }

    Slots* slots_with_room() {
        Slots* slots = slots_.load(std::memory_order_relaxed);
        if (slots != nullptr && 2 * (size_t{size()} + 1) <= slots->count()) {
            return slots;
        }
        MALLOOM_CHECK_FULL(is_valid());
        const size_t count = slots != nullptr ? 2 * slots->count() : first_count;
        auto* larger = static_cast<Slots*>(table_memory(Slots::bytes(count)));
        if (larger == nullptr) {
            return nullptr;
        }
        larger->shift = slots != nullptr ? slots->shift - 1 : first_shift;
        for (size_t i = 0; slots != nullptr && i < slots->count(); ++i) {
            if (slots->at(i).key.load(std::memory_order_relaxed) != 0) {
                place(*larger, *slots->at(i).entry);
            }
        }
        slots_.store(larger, std::memory_order_release);
        return larger;
    }

    std::atomic<Slots*> slots_{nullptr};
    uint32_t limit_;
    std::atomic<uint32_t> size_{0};
    InsertLock lock_;
    TableMemory memory_;
    Entry others_{};
};

}  // namespace malloom::context
