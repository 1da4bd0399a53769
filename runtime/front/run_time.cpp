#include "runtime/front/run_time.h"

#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/context/call_chain.h"
#include "runtime/context/modules.h"
#include "runtime/context/stable_hash.h"
#include "runtime/platform/environment.h"
#include "runtime/platform/output.h"

namespace malloom::front {

using context::Caller;
using heaps::Requester;

namespace {

// Where this thread is in its sequence. Outside RunTime only because a member cannot be thread-local.
struct ThreadPlace {
    heaps::ThreadSequence sequence;
    bool is_known = false;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadPlace thread_place;

void complain(const char* path, const char* problem) {
    platform::Line line;
    line.text("malloom: ").text(path).text(": ").text(problem).text("; the program runs without a plan");
    line.write_to(STDERR_FILENO);
}

}  // namespace

void RunTime::start() {
    if (__atomic_exchange_n(&has_started_, true, __ATOMIC_ACQ_REL)) {
        return;
    }
    const platform::Settings settings(platform::environment_value("MALLOOM"));
    const Options options = read_options(settings);
    fallback().choose(options.system_is_wanted() ? heaps::FallbackKind::system
                                                 : heaps::FallbackKind::mimalloc);
    matching_ = options.plan_is_wanted() && open_plan(options) ? mode_of_plan() : Mode::fallback;
    if (options.statistics_are_wanted()) {
        statistics_.open();
    }
    const Mode mode =
        options.statistics_are_wanted() ? Mode::counted : matching_.load(std::memory_order_relaxed);
    key_mask_ = mode == Mode::call_sites ? 0 : ~uintptr_t{0};
    set_mode(mode_, mode);
}

void RunTime::finish() {
    if (mode_.load(std::memory_order_relaxed) == Mode::counted) {
        statistics_.write_line(state_, heap_.first.given_up(), heap_.rest.first.count(),
                               heap_.rest.first.stopped());
    }
}

bool RunTime::open_plan(const Options& options) {
    if (!plan_.open(options.plan)) {
        complain(options.plan, plan_.problem());
        state_ = "refused";
        return false;
    }
    if (!fits_program()) {
        // No complaint: children of the program inherit the environment.
        state_ = "of another program";
        return false;
    }
    const bool has_slots = heap_.first.open(plan_);
    if (has_slots &&
        options.preallocation_is_wanted(plan_.header().flags &
                                        static_cast<uint64_t>(formats::plan::PlanFlag::preallocate))) {
        heap_.first.preallocate();
    }
    heap_.rest.first.open(plan_);
    if (!has_slots && !has_groups()) {
        state_ = "empty, or without address space";
        return false;
    }
    state_ = "used";
    return true;
}

bool RunTime::fits_program() const {
    const context::Module* program = context::find_module(getauxval(AT_ENTRY));
    return plan_.header().program == 0 || (program != nullptr && program->hash == plan_.header().program);
}

RunTime::Mode RunTime::mode_of_plan() const {
    if (plan_.matches_by_sequence()) {
        return Mode::sequence;
    }
    return plan_.header().depth == 1 ? Mode::call_sites : Mode::chains;
}

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

void* RunTime::allocate_from_plan(const heaps::Request& request) {
    if (heap_.first.has_slot(*request.requester)) {
        return heap_.first.allocate(request);
    }
    note_exhausted(*request.requester);
    return nullptr;
}

void* RunTime::allocate_at(size_t bytes, Requester& requester, Thoroughly thoroughly) {
    if (!heap_.first.has_slot(requester)) {
        if (void* object = heap_.rest.first.allocate_small(bytes, requester.group)) [[likely]] {
            return object;
        }
    }
    return allocate_at_any(bytes, requester, thoroughly);
}

void* RunTime::allocate_at_any(size_t bytes, Requester& requester, Thoroughly thoroughly) {
    const heaps::Request request = {bytes, 0, &requester};
    void* object = allocate_for(request);
    return object != nullptr ? object : thoroughly(bytes);
}

void* RunTime::allocate_zeroed_at(size_t bytes, Requester& requester, Thoroughly thoroughly) {
    const heaps::Request request = {bytes, 0, &requester};
    if (void* object = allocate_from_plan(request)) {
        return memset(object, 0, bytes);
    }
    void* object = heap_.rest.allocate_zeroed(request);
    return object != nullptr ? object : thoroughly(bytes);
}

void* RunTime::allocate(size_t bytes, size_t alignment, const Caller& caller) {
    return mode_.load(std::memory_order_relaxed) == Mode::chains
               ? allocate_by_chain(bytes, alignment, caller)
               : allocate_otherwise(bytes, alignment, caller);
}

void* RunTime::allocate_otherwise(size_t bytes, size_t alignment, const Caller& caller) {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (mode == Mode::fallback) {
        void* object = fallback().allocate({bytes, alignment, &nobody_});
        return object != nullptr ? object : out_of_memory();
    }
    Requester& requester =
        mode == Mode::call_sites ? site_at(caller.return_address).requester : requester_of(bytes, caller);
    return counted(allocate_for({bytes, alignment, &requester}));
}

void* RunTime::allocate_by_chain(size_t bytes, size_t alignment, const Caller& caller) {
    Requester& requester = requester_of_chain(caller);
    if (void* object = heap_.first.allocate_small(bytes, alignment, requester)) [[likely]] {
        return object;
    }
    if (alignment == 0 && is_plain(bytes, span_of(requester))) {
        return heaps::FallbackHeap::allocate_plain(bytes);
    }
    return allocate_rarely(bytes, alignment, requester);
}

void* RunTime::allocate_rarely(size_t bytes, size_t alignment, Requester& requester) {
    void* object = allocate_for({bytes, alignment, &requester});
    return object != nullptr ? object : out_of_memory();
}

void* RunTime::allocate_for(const heaps::Request& request) {
    void* object = allocate_from_plan(request);
    return object != nullptr ? object : heap_.rest.allocate(request);
}

// A group's, else null, an object of the plan in several words, the C library's, or another allocator's.
void RunTime::deallocate_otherwise(void* object) {
    if (heap_.rest.first.owns(object)) {
        heap_.rest.first.deallocate(object);
    } else {
        deallocate_elsewhere(object);
    }
}

void RunTime::deallocate_elsewhere(void* object) {
    if (heap_.first.owns(object)) {
        heap_.first.release_any(object);
    } else if (object != nullptr) {
        heap_.rest.deallocate(object);
    }
}

void* RunTime::allocate_zeroed(size_t bytes, const Caller& caller) {
    const heaps::Request request = {bytes, 0, &requester_of(bytes, caller)};
    void* object = allocate_from_plan(request);
    return counted(object != nullptr ? memset(object, 0, bytes) : heap_.rest.allocate_zeroed(request));
}

void* RunTime::reallocate(void* object, size_t bytes, const Caller& caller) {
    return counted(heap_.reallocate(object, {bytes, 0, &requester_of(bytes, caller)}));
}

void* RunTime::counted(void* object) {
    if (object == nullptr) {
        return out_of_memory();
    }
    if (mode_.load(std::memory_order_relaxed) != Mode::counted) [[likely]] {
        return object;
    }
    if (heap_.first.owns(object)) {
        statistics_.count_matched(heap_.first.usable_size(object));
    } else if (heap_.rest.first.owns(object)) {
        statistics_.count_grouped();
    } else {
        statistics_.count_fallback();
    }
    return object;
}

Requester& RunTime::requester_of(size_t bytes, const Caller& caller) {
    const Mode mode = mode_now();
    switch (mode == Mode::counted ? matching_.load(std::memory_order_relaxed) : mode) {
        case Mode::call_sites:
            return site_at(caller.return_address).requester;
        case Mode::chains:
            return requester_of_chain(caller);
        case Mode::sequence:
            return requester_of_thread(bytes);
        default:
            return nobody_;
    }
}

RunTime::Site& RunTime::find_site(uintptr_t return_address) {
    auto& entry = sites_.find_or_insert(
        &return_address, 1, [&](Sites::Entry& fresh) { describe(fresh.value, &return_address, 1); });
    // Not the catch-all, which has no address and would be looked for again anyway.
    if (entry.depth == 1) {
        Recent& recent = recent_[return_address % recent_sites];
        __atomic_store_n(&recent.site, &entry.value, __ATOMIC_RELEASE);
        __atomic_store_n(&recent.key, return_address ^ key_mask_, __ATOMIC_RELEASE);
    }
    return entry.value;
}

void RunTime::describe(Site& site, const uintptr_t* frames, unsigned depth) const {
    site.return_address = frames[0];
    const formats::plan::PlanContext* context = plan_.find_context(context::stable_hash(frames, depth));
    if (context != nullptr) {
        heap_.first.assign(site.requester, context->first_slot, context->slots);
        site.requester.group = context->group;
    }
}

// Walking costs more than all the rest. A site of which so many walks in a row led to nothing is left alone.
Requester& RunTime::walk_to_requester(const Caller& caller) {
    constexpr uint32_t patience = 4096;
    Site& site = site_at(caller.return_address);
    if (__atomic_load_n(&site.unmatched_in_a_row, __ATOMIC_RELAXED) >= patience) {
        return nobody_;
    }
    const auto find = [this](const uintptr_t* frames, unsigned depth) -> Sites::Entry& {
        return sites_.find_or_insert(frames, depth,
                                     [&](Sites::Entry& fresh) { describe(fresh.value, frames, depth); });
    };
    Requester& requester = walks_.walk(caller, plan_.header().depth, find).value.requester;
    const bool has_place = heap_.first.has_slot(requester) || requester.group != formats::plan::no_group;
    const uint32_t unmatched = has_place ? 0 : site.unmatched_in_a_row + 1;
    __atomic_store_n(&site.unmatched_in_a_row, unmatched, __ATOMIC_RELAXED);
    return requester;
}

Requester& RunTime::requester_of_thread(size_t bytes) {
    ThreadPlace& place = thread_place;
    if (!place.is_known) [[unlikely]] {
        place.is_known = true;
        start_thread(place.sequence);
    }
    if (heaps::advance_sequence(place.sequence, bytes)) [[likely]] {
        return place.sequence.requester;
    }
    Requester& requester = place.sequence.requester;
    if (!heap_.first.has_slot(requester)) {
        note_exhausted(requester);
    } else if (place.sequence.unmatched_in_a_row >= heaps::sequence_patience) {
        heap_.first.give_up(requester);
    }
    return nobody_;
}

void RunTime::start_thread(heaps::ThreadSequence& sequence) {
    const uint64_t number = __atomic_fetch_add(&threads_, 1, __ATOMIC_RELAXED);
    const formats::plan::PlanSequence* found = plan_.sequence(number);
    if (found != nullptr) {
        heap_.first.assign(sequence.requester, found->first_slot, found->slots);
    }
}

// Of a requester that the fallback may serve without asking again, once.
void RunTime::note_exhausted(Requester& requester) {
    if (requester.group == formats::plan::no_group) {
        __atomic_store_n(&requester.plain_span, fallback().plain_span(), __ATOMIC_RELAXED);
    }
    if (!__atomic_load_n(&requester.is_noted, __ATOMIC_RELAXED)) {
        heap_.first.note_exhausted(requester);
        stop_if_used_up();
    }
}

// Without slots and groups the plan costs but cannot help any more: from here on the program has the fallback
// alone.
void RunTime::stop_if_used_up() {
    std::atomic<Mode>& mode = mode_.load(std::memory_order_relaxed) == Mode::counted ? matching_ : mode_;
    // In fallback there may be no plan to ask.
    if (mode == Mode::fallback || has_groups() ||
        heap_.first.exhausted_slots() < plan_.header().slots_count) {
        return;
    }
    state_ = heap_.first.given_up() != 0 ? "given up" : "used up";
    set_mode(mode, Mode::fallback);
}

void RunTime::set_mode(std::atomic<Mode>& mode, Mode wanted) {
    mode.store(wanted, std::memory_order_release);
    const bool is_plain = mode_.load(std::memory_order_relaxed) == Mode::fallback;
    __atomic_store_n(&plain_span_, is_plain ? fallback().plain_span() : 0, __ATOMIC_RELEASE);
}

}  // namespace malloom::front
