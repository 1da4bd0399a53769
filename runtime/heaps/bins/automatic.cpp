// Rehash without being called (Lhuillier and Courousse, 2.4 and 6): it looks whether one could pay, does it,
// and takes it back where it has not paid.
#include "runtime/heaps/bins/bin_heap.h"
#include "runtime/heaps/bins/prices.h"
#include "runtime/heaps/bins/rehash.h"

using namespace malloom::heaps::bins;

namespace {

constexpr uint32_t rests_per_rehash = 32;  // by the clock
constexpr unsigned most_vain_looks = 3;
constexpr uint32_t least_window = 4;
constexpr unsigned glances_per_window = 4;
constexpr uint32_t longest_phase = uint32_t{1} << 30;

/// A heap whose rehash is automatic, where a phase ends.
class Automatic {
  public:
    explicit Automatic(malloom_bins& heap) : heap_(heap), state_(*heap.automatic) {}

    void end_phase() {
        state_.frees = sum_of(state_.frees, state_.length);
        switch (state_.phase) {
            case MALLOOM_BINS_SLEEPS:
                return go_on();
            case MALLOOM_BINS_GLANCES:
                return glance();
            case MALLOOM_BINS_LOOKS:
                return end_look();
            case MALLOOM_BINS_GATHERS:
                return rehash();
            case MALLOOM_BINS_JUDGES:
                return judge();
            case MALLOOM_BINS_OFF:
                return;
        }
    }

    /// In windows that grow with the distance between rehashes, and so does what they are laid out by. With
    /// dlmalloc's bins calls are quickest while nothing is counted: so it counts where there may be something
    /// to gain.
    void go_on() {
        while (state_.window <= state_.frees / 8) {
            state_.window *= 2;
        }
        state_.glances_left = glances_per_window;
        state_.free_chunks = 0;
        state_.steps = 0;
        heap_.function == malloom_bins_original ? rest_before_glance() : look();
    }

    void stop() {
        state_.phase = MALLOOM_BINS_OFF;
        set_options(heap_, heap_.options & ~(counting | samples_releases));
    }

    uint32_t now() const {
        return state_.settings.clock == nullptr ? 0 : state_.settings.clock(state_.settings.context);
    }

  private:
    void begin(malloom_bins_phase phase, uint32_t length, unsigned counts) {
        state_.phase = phase;
        state_.length = length;
        heap_.releases_left = length;
        set_options(heap_, (heap_.options & ~counting) | counts | samples_releases);
        if (counts != 0) {
            forget_counts(heap_);
        }
    }

    void rest_before_glance() { begin(MALLOOM_BINS_GLANCES, state_.window / glances_per_window, 0); }

    void glance() {
        ListUse use = {state_.free_chunks, state_.steps};
        if (!look_at_lists(heap_, use)) {
            return fail(MALLOOM_BINS_DAMAGED);
        }
        state_.free_chunks = use.chunks;
        state_.steps = use.steps;
        if (--state_.glances_left != 0) {
            return rest_before_glance();
        }
        const uint32_t gain = most_gain(use.steps_for(state_.window));
        if (is_vain(gain)) {
            return end_in_vain();
        }
        in_all(gain) >= price(0) ? look() : sleep();
    }

    void look() { begin(MALLOOM_BINS_LOOKS, state_.window, MALLOOM_BINS_COUNT_STEPS); }

    /// Until twice as many objects have been given back.
    void sleep() {
        begin(MALLOOM_BINS_SLEEPS, state_.frees < longest_phase ? state_.frees : longest_phase, 0);
    }

    void end_look() {
        state_.steps = counted();
        const uint32_t gain = most_gain(state_.steps);
        if (is_vain(gain)) {
            return end_in_vain();
        }
        state_.vain_looks = 0;
        is_due(gain) ? begin(MALLOOM_BINS_GATHERS, state_.window, state_.settings.counts) : sleep();
    }

    bool is_vain(uint32_t gain) const { return gain < state_.window / 4; }

    void end_in_vain() { ++state_.vain_looks == most_vain_looks ? stop() : sleep(); }

    uint32_t counted() const {
        uint32_t all = 0;
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            all = sum_of(all, heap_.counts[bin]);
        }
        return all;
    }

    /// What lists and the function cost in a window.
    uint32_t cost_of(uint32_t steps, malloom_bin_function function) const {
        return sum_of(steps, product_of(state_.window, steps_of(function)));
    }

    /// Of a rehash, in a window: no list would have a step.
    uint32_t most_gain(uint32_t steps) const {
        const uint32_t cost = cost_of(steps, heap_.function);
        const uint32_t least = product_of(state_.window, steps_of_new(state_.settings.code));
        return cost > least ? cost - least : 0;
    }

    /// Of all windows so far: as many may come.
    uint64_t in_all(uint32_t gain) const { return uint64_t{gain} * (state_.frees / state_.window); }

    bool is_due(uint32_t gain) {
        return in_all(gain) >= price(0) && count_free(state_.free_chunks) &&
               in_all(gain) >= price(state_.free_chunks) && has_rested();
    }

    uint32_t price(uint32_t chunks) const { return price_of(heap_, state_.settings.code, chunks); }

    /// False where links are wrong.
    bool count_free(uint32_t& chunks) {
        ListUse use;
        const bool is_whole = look_at_lists(heap_, use);
        chunks = use.chunks;
        return is_whole;
    }

    bool has_rested() const {
        return state_.settings.clock == nullptr ||
               (now() - state_.rehash_time) / rests_per_rehash >= state_.rehash_ticks;
    }

    void rehash() {
        const uint32_t began = now();
        uint32_t chunks = 0;
        if (!count_free(chunks)) {
            return fail(MALLOOM_BINS_DAMAGED);
        }
        remember();
        const unsigned bins = new_begins(heap_, state_.former_begins, state_.settings.ranges,
                                         state_.settings.bins, own_begins(heap_));
        if (bins == 0) {
            return sleep();  // what it should go by was not there
        }
        malloom_bin_function function = malloom_bins_variable;
        if (const malloom_bins_result wrong =
                generate(heap_, {heap_.begins, nullptr, nullptr, bins}, state_.settings.code, function);
            wrong != MALLOOM_BINS_OK) {
            recall_begins();
            return fail(wrong);
        }
        adopt(heap_, function, bins, state_.settings.code);
        ++state_.rehashes;
        state_.rehash_time = now();
        state_.rehash_ticks = state_.rehash_time - began;
        begin(MALLOOM_BINS_JUDGES, state_.window, MALLOOM_BINS_COUNT_STEPS);
    }

    void remember() {
        state_.former_function = heap_.function;
        state_.former_bins = heap_.bins;
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            state_.former_begins[bin] = heap_.begins[bin];
        }
    }
    void recall_begins() {
        for (unsigned bin = 0; bin < state_.former_bins; ++bin) {
            own_begins(heap_)[bin] = state_.former_begins[bin];
        }
    }

    void judge() {
        uint32_t chunks = 0;
        if (!count_free(chunks)) {
            return fail(MALLOOM_BINS_DAMAGED);
        }
        // Lists of more chunks are longer, and have more steps in any layout.
        const uint32_t steps = share(state_.steps, chunks, state_.free_chunks);
        const uint32_t before = cost_of(steps, state_.former_function);
        const uint32_t after = cost_of(counted(), heap_.function);
        // Less than an eighth is within what windows differ by anyway. What the rehash has cost is not got
        // back by taking it back; it is why the next one has to wait.
        if (after < before - before / 8) {
            return sleep();
        }
        restore();
    }

    void restore() {
        recall_begins();
        adopt(heap_, state_.former_function, state_.former_bins, state_.settings.code);
        state_.was_restored = 1;
        stop();
    }

    void fail(malloom_bins_result why) {
        stop();
        if (heap_.hooks != nullptr && heap_.hooks->failed != nullptr) {
            heap_.hooks->failed(heap_.hooks->context, why, 0);
        }
    }

    malloom_bins& heap_;
    malloom_bins_automatic& state_;
};

void consider(malloom_bins* heap, const Chunk*) {
    Automatic(*heap).end_phase();
}

constexpr unsigned widest_window = 1 << 20;

malloom_bins_result problem_of(const malloom_bins& heap, const malloom_bins_automatic_settings& settings) {
    const bool lays_out = settings.ranges != MALLOOM_BINS_AS_THEY_ARE && has_ranges(settings.ranges);
    const bool has_place =
        settings.storage != nullptr &&
        reinterpret_cast<uintptr_t>(settings.storage) % alignof(malloom_bins_automatic) == 0;
    if (!may_be_automatic || heap.counts == nullptr || (heap.options & MALLOOM_BINS_BOUNDED) != 0 ||
        !lays_out || !has_place || (settings.counts & ~counting) != 0 || settings.window > widest_window) {
        return MALLOOM_BINS_BAD_ARGUMENT;
    }
    const bool has_room = settings.storage_bytes >= MALLOOM_BINS_AUTOMATIC_STORAGE(heap.most_bins) &&
                          settings.bins <= heap.most_bins;
    return has_room ? MALLOOM_BINS_OK : MALLOOM_BINS_TOO_SMALL;
}

uint32_t power_from(uint32_t number) {
    uint32_t power = least_window;
    while (power < number) {
        power *= 2;
    }
    return power;
}

void switch_on(malloom_bins& heap, const malloom_bins_automatic_settings& settings) {
    auto* state = static_cast<malloom_bins_automatic*>(settings.storage);
    clear_words(state, sizeof *state);
    copy_words(&state->settings, &settings, sizeof settings);
    if (settings.bins == 0) {
        state->settings.bins = heap.most_bins;
    }
    if (settings.counts == 0) {
        state->settings.counts = MALLOOM_BINS_COUNT_INSERTIONS | MALLOOM_BINS_COUNT_STEPS;
    }
    state->former_begins = reinterpret_cast<uint32_t*>(state + 1);
    state->window = power_from(settings.window != 0 ? settings.window : 4 * uint32_t{heap.most_bins});
    heap.automatic = state;
    heap.sample_release = consider;
    heap.sampled = 0;
    Automatic automatic(heap);
    state->rehash_time = automatic.now();
    automatic.go_on();
}

}  // namespace

extern "C" malloom_bins_result malloom_bins_rehash_automatically(
    malloom_bins* heap, const malloom_bins_automatic_settings* settings) {
    BinHeap<ShippedPolicy> call(*heap);
    if (settings == nullptr) {
        if (heap->automatic != nullptr && heap->automatic->phase != MALLOOM_BINS_OFF) {
            Automatic(*heap).stop();
        }
        heap->automatic = nullptr;
        return MALLOOM_BINS_OK;
    }
    const malloom_bins_result problem = problem_of(*heap, *settings);
    if (problem != MALLOOM_BINS_OK) {
        call.fail(problem, 0);
        return problem;
    }
    switch_on(*heap, *settings);
    return MALLOOM_BINS_OK;
}
