// Records events: the path that every request takes, so it is short, and inlined into the entry points.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/single_threaded.h>

#include <atomic>

#include "record/preload/contexts.h"
#include "record/preload/exports.h"
#include "record/preload/image.h"
#include "record/preload/thread_slot.h"
#include "record/preload/windows.h"
#include "runtime/context/call_chain.h"

namespace malloom::record {

using formats::profile::EventKind;
using formats::profile::EventRecord;

/// The calling thread's slot, marked busy until leave(); nullptr where nothing is to be recorded.
[[gnu::always_inline]] inline ThreadSlot* enter() {
    ThreadSlot* slot = this_thread.slot;
    if (slot == nullptr || slot->busy || !slot->enabled.load(std::memory_order_relaxed) ||
        slot->window != window_now()) [[unlikely]] {
        slot = enter_slow_path();
        if (slot == nullptr) return nullptr;
    }
    slot->busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return slot;
}

[[gnu::always_inline]] inline void leave(ThreadSlot* slot) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot->busy = false;
    if (slot != this_thread.slot) [[unlikely]]
        leave_shared_slot();
}

[[gnu::always_inline]] inline uint64_t take_ticket() {
    if (__libc_single_threaded) return ++record_tickets;
    return __atomic_add_fetch(&record_tickets, 1, __ATOMIC_RELAXED);
}

/// Stages one event between enter and leave, and gives it its ticket.
[[gnu::always_inline]] inline void stage_event(ThreadSlot* slot, EventKind kind, uintptr_t address,
                                               uint64_t size, uint32_t context, uint8_t alignment) {
    const uint64_t ticket = take_ticket();
    slot->stage.records()[slot->staged] = {address,   size, ticket, context, static_cast<uint8_t>(kind),
                                           alignment, 0};
    // A SIGKILL may come at any instruction: a record counts when it is whole.
    __atomic_store_n(&slot->stage.header->records, ++slot->staged, __ATOMIC_RELEASE);
    if (client_present != 0) [[unlikely]]
        malloom_record_beacon(ticket);
    if (slot->staged == slot->capacity) [[unlikely]]
        flush_events(*slot);
}

inline Contexts::Entry& entry_of_chain(const uintptr_t* frames, unsigned depth) {
    return contexts.find_or_insert(frames, depth, [](Contexts::Entry&) {});
}

[[gnu::noinline, gnu::cold]] inline Contexts::Entry& walk_to_entry(const context::Caller& caller) {
    uintptr_t frames[context::max_depth];
    const unsigned depth = context::walk_call_chain(caller, static_cast<unsigned>(options.depth), frames);
    return entry_of_chain(frames, depth);
}

/// Between enter and leave.
[[gnu::always_inline]] inline uint32_t context_number(const context::Caller& caller) {
    RememberedWalks* walks = this_thread.walks;
    const auto depth = static_cast<unsigned>(options.depth);
    Contexts::Entry& entry =
        walks != nullptr ? walks->entry_of(caller, depth, entry_of_chain) : walk_to_entry(caller);
    if (entry.value.written_for.load(std::memory_order_relaxed) != record_process) [[unlikely]]
        write_context(entry);
    return entry.number;
}

/// An object was handed out. `alignment` in bytes, 0 for the default.
[[gnu::always_inline]] inline void record_allocation(EventKind kind, const void* object, size_t bytes,
                                                     size_t alignment, const context::Caller& caller) {
    ThreadSlot* slot = enter();
    if (slot == nullptr) return;
    const auto log2 = static_cast<uint8_t>(alignment == 0 ? 0 : __builtin_ctzl(alignment));
    stage_event(slot, kind, reinterpret_cast<uintptr_t>(object), bytes, context_number(caller), log2);
    leave(slot);
}

/// An event without context: release, touch and the like.
[[gnu::always_inline]] inline void record_event(EventKind kind, const void* object, uint64_t size) {
    ThreadSlot* slot = enter();
    if (slot == nullptr) return;
    stage_event(slot, kind, reinterpret_cast<uintptr_t>(object), size, 0, 0);
    leave(slot);
}

}  // namespace malloom::record
