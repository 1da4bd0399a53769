// Rehash without being called (Lhuillier and Courousse, 2.4 and 6): it looks whether one could pay, does it,
// and takes it back where it has not paid.
#include "runtime/codegen/bins/instruction_set.h"
#include "runtime/heaps/bins/bin_heap.h"
#include "runtime/heaps/bins/rehash.h"

using namespace malloom::heaps::bins;

namespace {

// What things take, in steps of a list, as measured on the simulated core (docs/decisions/bins.md). They need
// not be exact: a rehash that seems twice as cheap as it is comes half as late.
constexpr uint32_t steps_per_chunk = 4;           // to come into its new list
constexpr uint32_t steps_per_bin = 60;            // to be laid out
constexpr uint32_t steps_per_generated_bin = 85;  // and to be in the function
// For each object that is given back there are some three calls of the bin function, which take so many more
// than those of the original do. That one is short enough to stay in a small instruction cache.
constexpr uint32_t steps_per_search = 32;
constexpr uint32_t steps_per_tree = 12;

constexpr uint32_t rests_per_rehash = 32;  // by the clock
constexpr unsigned most_vain_looks = 3;
constexpr uint32_t least_window = 4;
constexpr uint32_t longest_phase = uint32_t{1} << 30;

uint32_t sum_of(uint32_t one, uint32_t other) {
    return one + other >= one ? one + other : UINT32_MAX;
}

/// number * part / whole, to 16 bits of each.
uint32_t share(uint32_t number, uint32_t part, uint32_t whole) {
    while ((part | whole) >> 16 != 0) {
        part /= 2;
        whole /= 2;
    }
    unsigned shift = 0;
    while (number >> shift >> 16 != 0) {
        ++shift;
    }
    const uint32_t found = (number >> shift) * part / (whole != 0 ? whole : 1);
    return found <= UINT32_MAX >> shift ? found << shift : UINT32_MAX;
}

/// A heap whose rehash is automatic, where a phase ends.
class Automatic {
  public:
    explicit Automatic(malloom_bins& heap) : heap_(heap), state_(*heap.automatic) {}

    void end_phase() {
        state_.frees = sum_of(state_.frees, state_.length);
        switch (state_.phase) {
            case MALLOOM_BINS_SLEEPS:
                return look();
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

    /// In windows that grow with the distance between rehashes, and so does what they are laid out by.
    void look() {
        while (state_.window <= state_.frees / 8) {
            state_.window *= 2;
        }
        begin(MALLOOM_BINS_LOOKS, state_.window, MALLOOM_BINS_COUNT_STEPS);
    }

    void stop() {
        state_.phase = MALLOOM_BINS_OFF;
        set_options(heap_, heap_.options & ~(counting | hears_of_releases));
    }

    uint32_t now() const {
        return state_.settings.clock == nullptr ? 0 : state_.settings.clock(state_.settings.context);
    }

  private:
    void begin(malloom_bins_phase phase, uint32_t length, unsigned counts) {
        state_.phase = phase;
        state_.length = length;
        heap_.releases_left = length;
        set_options(heap_, (heap_.options & ~counting) | counts | hears_of_releases);
        forget_counts(heap_);
    }

    /// Until twice as many objects have been given back.
    void sleep() {
        begin(MALLOOM_BINS_SLEEPS, state_.frees < longest_phase ? state_.frees : longest_phase, 0);
    }

    void end_look() {
        state_.steps = counted();
        const uint32_t gain = most_gain();
        const bool is_vain = gain < state_.window / 4;
        state_.vain_looks = is_vain ? state_.vain_looks + 1 : 0;
        if (state_.vain_looks == most_vain_looks) {
            stop();
        } else if (is_vain || !is_due(gain)) {
            sleep();
        } else {
            begin(MALLOOM_BINS_GATHERS, state_.window, state_.settings.counts);
        }
    }

    uint32_t counted() const {
        uint32_t all = 0;
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            all = sum_of(all, heap_.counts[bin]);
        }
        return all;
    }

    bool will_generate() const {
        return state_.settings.code != nullptr && malloom::codegen::bins::own_instruction_set() != nullptr;
    }

    /// What lists and the function cost in a window.
    uint32_t cost_of(uint32_t steps, malloom_bin_function function) const {
        const uint32_t each = function == malloom_bins_original   ? 0
                              : function == malloom_bins_variable ? steps_per_search
                                                                  : steps_per_tree;
        return sum_of(steps, state_.window * each);
    }

    /// Of a rehash, in a window: no list would have a step.
    uint32_t most_gain() const {
        const uint32_t cost = cost_of(state_.steps, heap_.function);
        const uint32_t least = state_.window * (will_generate() ? steps_per_tree : steps_per_search);
        return cost > least ? cost - least : 0;
    }

    /// Of all windows so far: as many may come.
    uint64_t in_all(uint32_t gain) const { return uint64_t{gain} * (state_.frees / state_.window); }

    uint32_t steps_for(uint32_t chunks) const {
        const uint32_t per_bin = will_generate() ? steps_per_generated_bin : steps_per_bin;
        return sum_of(heap_.most_bins * per_bin,
                      chunks < UINT32_MAX / steps_per_chunk ? chunks * steps_per_chunk : UINT32_MAX);
    }

    bool is_due(uint32_t gain) {
        return in_all(gain) >= steps_for(0) && count_free(heap_, state_.free_chunks) &&
               in_all(gain) >= steps_for(state_.free_chunks) && has_rested();
    }

    bool has_rested() const {
        return state_.settings.clock == nullptr ||
               (now() - state_.rehash_time) / rests_per_rehash >= state_.rehash_ticks;
    }

    void rehash() {
        const uint32_t began = now();
        uint32_t chunks = 0;
        if (!count_free(heap_, chunks)) {
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
        if (!count_free(heap_, chunks)) {
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

void consider(malloom_bins* heap) {
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
    state->consider = consider;
    state->former_begins = reinterpret_cast<uint32_t*>(state + 1);
    state->window = power_from(settings.window != 0 ? settings.window : 4 * uint32_t{heap.most_bins});
    heap.automatic = state;
    Automatic automatic(heap);
    state->rehash_time = automatic.now();
    automatic.look();
}

}  // namespace

extern "C" malloom_bins_result malloom_bins_rehash_automatically(
    malloom_bins* heap, const malloom_bins_automatic_settings* settings) {
    BinHeap<ShippedPolicy> call(*heap);
    if (settings == nullptr) {
        if (heap->automatic != nullptr) {
            Automatic(*heap).stop();
            heap->automatic = nullptr;
        }
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
