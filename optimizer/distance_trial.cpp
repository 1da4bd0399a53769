#include "optimizer/distance_trial.h"

#include <string.h>

namespace malloom::optimizer {

namespace {

constexpr size_t without = 0;  ///< the variant in which the prefetch does nothing
constexpr size_t usual = 1;    ///< the one with the distance of the rules

// Of the rules' distance: roughly itself, half, double and four times.
constexpr uint64_t tenths_of_variant[DistanceTrial::variants] = {0, 10, 4, 20, 40};
constexpr size_t least_rounds = 18;  ///< before a prefetch is kept

uint64_t next_random(uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void insert_sorted(uint64_t* sorted, size_t count, uint64_t value) {
    while (count > 0 && sorted[count - 1] > value) {
        sorted[count] = sorted[count - 1];
        --count;
    }
    sorted[count] = value;
}

}  // namespace

PrefetchDistance DistanceTrial::distance_of(size_t variant) const {
    if (variant == without) return {};
    DistanceRule rule = rules_.distance;
    rule.lines = (tenths_of_variant[variant] * rule.lines + 5) / 10;
    return rule.for_stride(strides_[load_]);
}

void DistanceTrial::begin_window() {
    distances[load_] = distance_of(order_[turn_]);
    countdown = window_entries_;
}

void DistanceTrial::begin_round() {
    turn_ = 0;
    for (size_t i = remaining_; i > 1; --i) {
        const size_t other = next_random(random_) % i;
        const uint8_t kept = order_[i - 1];
        order_[i - 1] = order_[other];
        order_[other] = kept;
    }
}

void DistanceTrial::begin_load(size_t load) {
    load_ = load;
    round_ = 0;
    remaining_ = variants;
    for (size_t i = 0; i < variants; ++i) order_[i] = static_cast<uint8_t>(i);
    begin_round();
}

void DistanceTrial::begin(const int64_t* strides, size_t count, const TrialRules& rules) {
    rules_ = rules;
    loads_ = count;
    memcpy(strides_, strides, count * sizeof *strides);
    random_ = 0x9e3779b97f4a7c15;
    for (load_ = 0; load_ < count; ++load_) distances[load_] = distance_of(usual);
    window_entries_ = 256;
    window_began_ = 0;
    is_calibrated_ = false;
    begin_load(0);
    begin_window();
}

uint64_t DistanceTrial::median(size_t variant) const {
    uint64_t sorted[most_rounds] = {};
    for (size_t i = 0; i < round_; ++i) insert_sorted(sorted, i, cycles_[variant][i]);
    return sorted[round_ / 2];
}

size_t DistanceTrial::lost(size_t variant, size_t other) const {
    size_t lost = 0;
    for (size_t i = 0; i < round_; ++i) lost += cycles_[variant][i] >= cycles_[other][i];
    return lost;
}

bool DistanceTrial::beats(size_t variant, size_t other) const {
    return lost(variant, other) * 5 <= round_ && median(variant) * 100 <= median(other) * (100 - rules_.gain);
}

bool DistanceTrial::remains(size_t variant) const {
    return memchr(order_, static_cast<int>(variant), remaining_) != nullptr;
}

// A prefetch that pays hardly ever loses so many rounds; one that does not has soon lost them.
void DistanceTrial::drop_hopeless() {
    size_t kept = 0;
    for (size_t i = 0; i < remaining_; ++i) {
        const uint8_t variant = order_[i];
        if (variant == without || lost(variant, without) <= 2 + round_ / 5) order_[kept++] = variant;
    }
    remaining_ = kept;
}

size_t DistanceTrial::choice() const {
    size_t best = without;
    for (size_t i = 1; i < variants; ++i)
        if (remains(i) && (best == without || median(i) < median(best))) best = i;
    if (remains(usual) && beats(usual, without) && !beats(best, usual)) return usual;
    return best != without && beats(best, without) ? best : without;
}

// Whether more rounds would hardly choose otherwise.
bool DistanceTrial::is_decided(size_t chosen) const {
    if (round_ == rules_.rounds || remaining_ == 1) return true;
    return chosen != without && round_ >= least_rounds &&
           lost(chosen, without) <= (round_ - least_rounds) / 4;
}

// True when it was the last round of the last load.
bool DistanceTrial::end_round() {
    ++round_;
    drop_hopeless();
    const size_t chosen = choice();
    if (!is_decided(chosen)) {
        begin_round();
        return false;
    }
    distances[load_] = distance_of(chosen);
    if (load_ + 1 == loads_) return true;
    begin_load(load_ + 1);
    return false;
}

bool DistanceTrial::end_window(uint64_t now) {
    const uint64_t cycles = now - window_began_;
    const bool is_first = window_began_ == 0;
    window_began_ = now;
    if (!is_first && is_calibrated_) {
        cycles_[order_[turn_]][round_] = cycles;
        if (++turn_ == remaining_ && end_round()) return true;
    } else if (!is_first) {
        is_calibrated_ = cycles >= rules_.window_cycles || window_entries_ == most_window_entries;
        if (!is_calibrated_) window_entries_ *= 2;
    }
    begin_window();
    return false;
}

}  // namespace malloom::optimizer
