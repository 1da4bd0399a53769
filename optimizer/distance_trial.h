// Finds, while a trace runs, how far ahead each of its prefetches should be, and which do not pay. Knows
// nothing of DynamoRIO.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "optimizer/options.h"
#include "optimizer/prefetch_distance.h"

namespace malloom::optimizer {

/// What is asked of a trial.
struct TrialRules {
    DistanceRule distance;               ///< of the distance that is kept unless another is clearly better
    uint64_t rounds = Options{}.rounds;  ///< at most; 1 to DistanceTrial::most_rounds
    uint64_t window_cycles = Options{}.window;  ///< what a window takes at least
    uint64_t gain = Options{}.gain;             ///< per cent that a choice must be faster by
};

/// One trace's trial. The prefetches are tried one after the other, while the others keep their distances.
/// The trace's entries are cut into windows; a round has one window for each distance, and one without the
/// prefetch, in random order. Noise decides nothing: what disturbs a window changes one sample of a median,
/// what lasts changes all distances of a round, and a choice must win four rounds of five besides having the
/// better median. Distances that lose too often to be chosen leave the trial; it ends early where nothing is
/// left to be chosen, or what is has won nearly always. Its owner calls end_window() from one thread at a
/// time; the code in the code cache reads and writes the public fields.
class DistanceTrial {
  public:
    static constexpr size_t most_loads = 8;
    static constexpr size_t variants = 5;
    static constexpr size_t most_rounds = 63;
    static constexpr uint64_t most_window_entries = 32768;

    uint64_t countdown;  ///< entries of the trace until end_window(); its lower 16 bits count
    PrefetchDistance distances[most_loads];  ///< none: the prefetch does nothing

    /// `count`: loads, 1 to most_loads, with these strides.
    void begin(const int64_t* strides, size_t count, const TrialRules& rules);

    /// At the end of a window, with the processor's time in cycles. True when every load has its distance:
    /// the fields hold what was chosen, none where the prefetch does not pay.
    bool end_window(uint64_t now);

  private:
    void begin_window();
    void begin_round();
    void begin_load(size_t load);
    bool end_round();
    PrefetchDistance distance_of(size_t variant) const;
    uint64_t median(size_t variant) const;
    size_t lost(size_t variant, size_t other) const;
    bool remains(size_t variant) const;
    void drop_hopeless();
    bool is_decided(size_t chosen) const;
    bool beats(size_t variant, size_t other) const;
    size_t choice() const;

    TrialRules rules_;
    int64_t strides_[most_loads];
    size_t loads_, load_, round_, turn_;
    uint8_t order_[variants];  ///< of this round; the first `remaining_` count
    size_t remaining_;
    uint64_t cycles_[variants][most_rounds];
    uint64_t window_entries_, window_began_, random_;
    bool is_calibrated_;
};

}  // namespace malloom::optimizer
