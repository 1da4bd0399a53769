// The run time's start, and which mode it is in: as options and plan ask for, until one of them has nothing
// more to give; and its end.
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/context/insert_lock.h"
#include "runtime/context/modules.h"
#include "runtime/front/dynamic_entries.h"
#include "runtime/front/misuse.h"
#include "runtime/front/planned_prefetches.h"
#include "runtime/front/run_time.h"
#include "runtime/platform/environment.h"
#include "runtime/platform/output.h"
#include "runtime/platform/real_allocator.h"
#include "runtime/platform/system_calls.h"

namespace malloom::front {

using formats::plan::PlanFlag;

namespace {

void complain(const char* path, const char* problem) {
    platform::Line line;
    line.text("malloom: ").text(path).text(": ").text(problem).text("; the program runs without a plan");
    line.write_to(STDERR_FILENO);
}

void tell(const char* what) {
    platform::Line line;
    line.text("malloom: ").text(what);
    line.write_to(STDERR_FILENO);
}

// The optimiser answers it with 0, so errno stays.
void begin_optimizing() {
    syscall(SYS_close_range, DynamicBeginning::first, DynamicBeginning::last, DynamicBeginning::flags);
}

}  // namespace

void RunTime::start() {
    if (__atomic_exchange_n(&has_started_, true, __ATOMIC_ACQ_REL)) {
        return;
    }
    ProcessPools::prepare();
    platform::real::make_ready();
    context::InsertLock::prepare_for_forks();
    name_sites_on_misuse(sites());
    const platform::Settings settings(platform::environment_value("MALLOOM"));
    const Options options = read_options(settings);
    if (options.guards_are_wanted()) {
        guard_objects();
    }
    has_plan_ = options.plan_is_wanted() && open_plan(options);
    choose_fallback(options);
    if (has_guards() && process_heaps.fallback.marked_end() == 0) {
        tell("there are no guards behind what pools do not serve");
    }
    const Mode mode = has_plan_ || options.pools_are_wanted() ? mode_of_plan() : Mode::fallback;
    open_pools(options, mode);
    wants_tokens_ = options.tokens_are_wanted(!has_plan_ || plan_.says(PlanFlag::by_token));
    const char* const region_heap = open_region_heap(options.heap);
    matching_ = has_plan_ || has_pools()             ? mode
                : region_heap != nullptr             ? Mode::region
                : malloom_dynamic_wait.requests != 0 ? Mode::awaited
                                                     : Mode::fallback;
    has_statistics_ = options.statistics_are_wanted();
    if (has_statistics_) {
        statistics_.open(region_heap, options.statistics_are_json());
    }
    saving_.open(options);
    if (has_plan_) {
        when_used_up([](Route& route) { static_cast<RunTime&>(route).end_plan(); });
        // A program that builds something may now come to what the plan knows.
        process_heaps.fallback.on_growth([](void* found) { static_cast<Sites*>(found)->return_to_left(); },
                                         &sites());
    }
    set_mode(mode_,
             has_statistics_ || has_guards() ? Mode::counted : matching_.load(std::memory_order_relaxed));
    if (malloom_dynamic_wait.requests != 0 && matching_.load(std::memory_order_relaxed) != Mode::awaited) {
        begin_optimizing();
    }
}

void RunTime::choose_fallback(const Options& options) {
    const heaps::FallbackKind kind =
        options.system_is_wanted(plan_.says(PlanFlag::system_fallback)) ? heaps::FallbackKind::system
        : options.pools_are_wanted() || has_guards() ? heaps::FallbackKind::checked_mimalloc
                                                     : heaps::FallbackKind::mimalloc;
    const bool is_huge = options.fallback_huge_pages_are_wanted(plan_.says(PlanFlag::fallback_huge_pages));
    process_heaps.fallback.choose(kind, {is_huge, options.purge_delay_wanted(plan_.purge_delay())},
                                  options.fallback_bytes_wanted());
}

void RunTime::open_pools(const Options& options, Mode mode) {
    const bool learns = options.pools_are_wanted();
    if (learns) {
        // The executable's name is asked for now: later the program may have forbidden itself that.
        context::program_hash();
    }
    process_heaps.pools.heap.pack(options.packing_is_wanted(plan_.says(PlanFlag::packed)));
    const bool is_uncounted = !options.statistics_are_wanted() && !has_guards();
    const bool is_fast = is_uncounted && mode == Mode::call_sites;
    if (!open_sites(has_plan_ ? &plan_ : nullptr,
                    {learns, options.colocation_is_wanted(), is_fast, is_uncounted,
                     options.pools_are_wanted_in_mimalloc(plan_.says(PlanFlag::pools_in_mimalloc))})) {
        state_ = "without address space for pools";
    }
    if (options.huge_pages_are_wanted(has_pools() && plan_.says(PlanFlag::huge_pages))) {
        process_heaps.pools.heap.arena().prefer_huge_pages();
    }
}

void RunTime::finish() {
    // What the program has forbidden itself would end it, when it is about to end well.
    if (!platform::may_call()) {
        return;
    }
    if (saving_.is_wanted()) {
        const int output = has_statistics_ ? statistics_.descriptor() : STDERR_FILENO;
        saving_.save(sites(), has_plan_ ? &plan_ : nullptr, wants_tokens_, output);
    }
    if (has_statistics_) {
        statistics_.write({state_, ended_at_, process_heaps.plan.given_up(), process_heaps.groups.count(),
                           process_heaps.groups.stopped()},
                          sites());
    }
}

bool RunTime::open_plan(const Options& options) {
    const uint64_t program = context::program_hash();
    if (!plan_.open(options.plan, program)) {
        complain(options.plan, plan_.problem());
        state_ = "refused";
        return false;
    }
    if (plan_.header().program != 0 && plan_.header().program != program) {
        // No complaint: children of the program inherit the environment.
        state_ = "of another program";
        return false;
    }
    if (options.prefetches_are_wanted()) {
        planned_prefetches.open(plan_);
    }
    const bool has_slots = process_heaps.plan.open(plan_);
    if (has_slots && options.preallocation_is_wanted(plan_.says(PlanFlag::preallocate))) {
        process_heaps.plan.preallocate();
    }
    process_heaps.groups.open(plan_, options.huge_pages_are_wanted(plan_.says(PlanFlag::huge_pages)));
    if (!has_slots && process_heaps.groups.count() == 0 && plan_.header().pools_count == 0) {
        state_ =
            plan_.prefetches_count() != 0 ? "used, for prefetches alone" : "empty, or without address space";
        return false;
    }
    state_ = "used";
    return true;
}

RunTime::Mode RunTime::mode_of_plan() const {
    if (!has_plan_) {
        return Mode::call_sites;
    }
    if (plan_.matches_by_sequence()) {
        return Mode::sequence;
    }
    // Chains that only lead to pools, or to groups that were planned so, are reached step by step, where
    // their call sites are wrappers.
    const bool has_groups = plan_.header().groups_count != 0 && !plan_.says(PlanFlag::stepwise);
    const bool has_places = plan_.header().slots_count != 0 || has_groups;
    return plan_.header().depth == 1 || !has_places ? Mode::call_sites : Mode::chains;
}

std::atomic<RunTime::Mode>& RunTime::serving_mode() {
    return mode_.load(std::memory_order_relaxed) == Mode::counted ? matching_ : mode_;
}

// What threads lose here by racing is a few requests' delay.
void RunTime::count_awaited(size_t bytes) {
    const auto taken = [](uint64_t& left, uint64_t amount) {
        const uint64_t now = __atomic_load_n(&left, __ATOMIC_RELAXED);
        __atomic_store_n(&left, now - (now < amount ? now : amount), __ATOMIC_RELAXED);
        return now <= amount;
    };
    const bool are_many = taken(malloom_dynamic_wait.requests, 1);
    if (!taken(malloom_dynamic_wait.bytes, bytes) && !are_many) {
        return;
    }
    set_mode(serving_mode(), Mode::fallback);
    begin_optimizing();
}

// From here on the program has the fallback alone.
void RunTime::end_plan() {
    std::atomic<Mode>& mode = serving_mode();
    if (mode == Mode::fallback) {
        return;
    }
    ended_at_ = statistics_.requests() + 1;
    state_ =
        process_heaps.plan.given_up() != 0 || process_heaps.groups.stopped() != 0 ? "given up" : "used up";
    set_mode(mode, Mode::fallback);
}

void RunTime::set_mode(std::atomic<Mode>& mode, Mode wanted) {
    mode.store(wanted, std::memory_order_release);
    const Mode now = mode_.load(std::memory_order_relaxed);
    const Mode matching = now == Mode::counted ? matching_.load(std::memory_order_relaxed) : now;
    // Chains and sequences are told by the stack and by the thread.
    __atomic_store_n(&takes_tokens_, wants_tokens_ && matching == Mode::call_sites, __ATOMIC_RELAXED);
    go(way_of(now));
}

Route::Way RunTime::way_of(Mode mode) const {
    switch (mode) {
        case Mode::fallback:
            return Way::fallback;
        case Mode::region:
            return Way::region;
        case Mode::call_sites:
            return has_plan_ ? Way::asked : Way::pools_alone;
        default:
            return Way::asked;
    }
}

}  // namespace malloom::front
