#include "runtime/front/run_time.h"

#include <errno.h>

#include "runtime/context/call_chain.h"
#include "runtime/front/guards.h"
#include "runtime/front/misuse.h"

namespace malloom::front {

using context::Caller;

namespace {

// Where this thread is in its sequence. Outside RunTime only because a member cannot be thread-local.
struct ThreadPlace {
    Requester requester;
    bool is_known = false;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadPlace thread_place;

}  // namespace

// A request that comes while start() runs, from start() itself or another thread, gets the fallback.
RunTime::Mode RunTime::mode_now() {
    if (mode_.load(std::memory_order_acquire) == Mode::starting) {
        start();
    }
    const Mode mode = mode_.load(std::memory_order_acquire);
    return mode == Mode::starting ? Mode::fallback : mode;
}

void* RunTime::out_of_memory() {
    errno = ENOMEM;
    return nullptr;
}

void* RunTime::allocate(size_t bytes, size_t alignment, const Caller& caller) {
    return mode_.load(std::memory_order_relaxed) == Mode::chains ? allocate_by_chain(bytes, alignment, caller)
                                                                 : allocate_by_mode(bytes, alignment, caller);
}

void* RunTime::allocate_for_state(size_t bytes, const context::CallerState& caller) {
    void* object = sites().allocate_colocated(room_for(bytes), caller);
    return object != nullptr ? counted(object, bytes, caller.caller()) : allocate(bytes, 0, caller.caller());
}

void* RunTime::allocate_zeroed_for_state(size_t bytes, const context::CallerState& caller) {
    void* object = sites().allocate_colocated(room_for(bytes), caller);
    return object != nullptr ? counted(memset(object, 0, bytes), bytes, caller.caller())
                             : allocate_zeroed(bytes, caller.caller());
}

void* RunTime::allocate_by_mode(size_t bytes, size_t alignment, const Caller& caller) {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (mode == Mode::fallback) {
        void* object = process_heaps.fallback.allocate({bytes, alignment, &nobody_});
        return object != nullptr ? object : out_of_memory();
    }
    Requester& requester = mode == Mode::call_sites ? sites().deciding(caller) : requester_of(bytes, caller);
    return counted(serve({room_for(bytes), alignment, &requester}), bytes, caller);
}

void* RunTime::allocate_by_chain(size_t bytes, size_t alignment, const Caller& caller) {
    Requester& requester = requester_of_chain(caller);
    return plain_end_of(requester) == 0 ? serve_soon(bytes, alignment, requester)
                                        : allocate_without_place(bytes, alignment, requester, caller);
}

void* RunTime::allocate_without_place(size_t bytes, size_t alignment, Requester& requester,
                                      const Caller& caller) {
    note_without_place(requester, caller);
    return serve_soon(bytes, alignment, requester);
}

void* RunTime::allocate_zeroed(size_t bytes, const Caller& caller) {
    Requester& requester = requester_of(bytes, caller);
    return counted(serve_zeroed({room_for(bytes), 0, &requester}), bytes, caller);
}

void* RunTime::reallocate(void* object, size_t bytes, const Caller& caller) {
    check_guard(object);
    Requester& requester = requester_of(bytes, caller);
    return counted(serve_again(object, {room_for(bytes), 0, &requester}), bytes, caller);
}

// Who has asked starts the run time, which says whether there are guards.
size_t RunTime::room_for(size_t bytes) const {
    return has_guards() ? Guard::room_for(bytes) : bytes;
}

size_t RunTime::usable_size(const void* object) const {
    const size_t usable = Route::usable_size(object);
    return has_guards() && may_have_guard(object) ? asked_for(object, usable) : usable;
}

void RunTime::check_guard(const void* object) const {
    if (has_guards() && may_have_guard(object)) {
        asked_for(object, Route::usable_size(object));
    }
}

size_t RunTime::asked_for(const void* object, size_t usable) {
    const Guard guard(const_cast<void*>(object), usable);
    const size_t asked = guard.asked();
    if (asked == Guard::damaged) {
        end_by_write_past(object, guard.place());
    }
    return asked;
}

void* RunTime::counted(void* object, size_t bytes, const Caller& caller) {
    if (object == nullptr) {
        return out_of_memory();
    }
    if (mode_.load(std::memory_order_relaxed) != Mode::counted) [[likely]] {
        return object;
    }
    if (has_statistics_) {
        statistics_.count(owner(object), bytes);
    }
    if (has_guards() && may_have_guard(object)) {
        Guard(object, Route::usable_size(object)).set(bytes, caller.return_address);
    }
    return object;
}

Requester& RunTime::requester_of(size_t bytes, const Caller& caller) {
    const Mode mode = mode_now();
    switch (mode == Mode::counted ? matching_.load(std::memory_order_relaxed) : mode) {
        case Mode::call_sites:
            return sites().deciding(caller);
        case Mode::chains:
            return requester_of_chain(caller);
        case Mode::sequence:
            return requester_of_thread(bytes);
        case Mode::awaited:
            count_awaited(bytes);
            return nobody_;
        default:
            return nobody_;
    }
}

// Walking costs more than all the rest. A site that so many walks in a row, or requests of one chain, led
// nowhere through is left alone.
constexpr uint32_t most_without_place = 4096;

Requester& RunTime::walk_to_requester(const Caller& caller) {
    Site& site = sites().at(caller.return_address);
    const uint32_t before = __atomic_load_n(&site.unmatched_in_a_row, __ATOMIC_RELAXED);
    if (before >= most_without_place) {
        return nobody_;
    }
    const auto find = [this](const uintptr_t* frames, unsigned depth) -> Sites::Contexts::Entry& {
        return sites().of_chain(frames, depth);
    };
    Requester& requester = walks_.walk(caller, plan_.header().depth, find).value;
    const uint32_t unmatched = Sites::has_place(requester) ? 0 : before + 1;
    __atomic_store_n(&site.unmatched_in_a_row, unmatched, __ATOMIC_RELAXED);
    if (unmatched == most_without_place) {
        leave(site);
    }
    return requester;
}

// Of a chain whose walk is remembered.
void RunTime::note_without_place(Requester& requester, const Caller& caller) {
    if (!requester.is_site) {
        return;
    }
    uint32_t& requests = static_cast<Site&>(requester).unmatched_in_a_row;
    const uint32_t now = __atomic_load_n(&requests, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&requests, now, __ATOMIC_RELAXED);
    if (now % most_without_place == 0) {
        leave(sites().at(caller.return_address));
    }
}

void RunTime::leave(Site& site) {
    count_exhausted(site);
    sites().leave(site);
}

Requester& RunTime::requester_of_thread(size_t bytes) {
    ThreadPlace& place = thread_place;
    if (!place.is_known) [[unlikely]] {
        place.is_known = true;
        start_thread(place.requester);
    }
    Requester& requester = place.requester;
    if (heaps::advance_sequence(requester, bytes)) [[likely]] {
        return requester;
    }
    if (process_heaps.plan.has_slot(requester)) {
        process_heaps.plan.note_refused(requester, heaps::PlanHeap::first_look_at_sequence);
    } else {
        count_exhausted(requester);
    }
    return nobody_;
}

void RunTime::start_thread(Requester& requester) {
    const uint64_t number = __atomic_fetch_add(&threads_, 1, __ATOMIC_RELAXED);
    const formats::plan::PlanSequence* found = plan_.sequence(number);
    if (found != nullptr) {
        process_heaps.plan.assign(requester, found->first_slot, found->slots);
    }
}

}  // namespace malloom::front
