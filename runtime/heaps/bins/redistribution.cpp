#include "runtime/heaps/bins/redistribution.h"

#include "runtime/codegen/bins/scale.h"
#include "runtime/heaps/bins/chunk.h"

namespace malloom::heaps::bins {

namespace {

constexpr uint32_t weight_bits = 16;

/// What bins weigh: all together less than 2^weight_bits, so that sums and products stay in 32 bits.
class Weights {
  public:
    explicit Weights(const CountedBins& old)
        : old_(old), scale_(codegen::bins::scale_to(weight_bits, old.counts, old.bins)) {}
    uint32_t of(unsigned bin) const { return old_.counts[bin] >> scale_.shift; }
    uint32_t total() const { return scale_.sum; }

  private:
    const CountedBins& old_;
    codegen::bins::Scale scale_;
};

uint32_t end_of(const CountedBins& old, unsigned bin) {
    return bin + 1 < old.bins ? old.begins[bin + 1] : old.end;
}

/// width * part / whole, to 16 bits of the width.
uint32_t share(uint32_t width, uint32_t part, uint32_t whole) {
    unsigned shift = 0;
    while (width >> shift >= uint32_t{1} << weight_bits) {
        ++shift;
    }
    return (width >> shift) * part / whole << shift;
}

/// weight * part / whole, where the weight has at most 24 bits.
uint32_t part_of(uint32_t weight, uint32_t part, uint32_t whole) {
    while (whole >= uint32_t{1} << 8) {
        whole = (whole + 1) / 2;
        part = (part + 1) / 2;
    }
    return weight * (part < whole ? part : whole) / whole;
}

/// Begins of bins as they are found, in ascending order.
class Begins {
  public:
    Begins(uint32_t* result, uint32_t granule) : result_(result), granule_(granule) { result_[0] = 0; }
    unsigned count() const { return count_; }
    void add(uint32_t begin) {
        const uint32_t rounded = (begin + granule_ - 1) & ~(granule_ - 1);
        if (rounded > result_[count_ - 1]) {
            result_[count_++] = rounded;
        }
    }

  private:
    uint32_t* result_;
    uint32_t granule_;
    unsigned count_ = 1;
};

/// Of two ascending lists in one place, `first` begins and then `second` ones after a gap, makes one.
unsigned merge(uint32_t* begins, unsigned first, const uint32_t* more, unsigned second) {
    // From the end, where there is room; what is in both comes once more, and is taken out after that.
    unsigned to = first + second;
    unsigned left = first;
    unsigned right = second;
    while (right > 0) {
        const bool takes_left = left > 0 && begins[left - 1] > more[right - 1];
        begins[--to] = takes_left ? begins[--left] : more[--right];
    }
    unsigned count = 0;
    for (unsigned from = 0; from < first + second; ++from) {
        if (count == 0 || begins[from] > begins[count - 1]) {
            begins[count++] = begins[from];
        }
    }
    return count;
}

constexpr unsigned most_even = 64;

/// As many begins to an octave, up to the end, as `most` allows: 4, 2 or 1; or one to several octaves.
unsigned lay_out_evenly(const CountedBins& old, unsigned most, uint32_t* begins) {
    const uint32_t first = old.granule * 4;
    unsigned octaves = 0;
    while (first << octaves < old.end / 2 && octaves < 28) {
        ++octaves;
    }
    unsigned parts = 4;
    while (parts > 1 && octaves * parts > most) {
        parts /= 2;
    }
    const unsigned step = most == 0 || octaves * parts <= most ? 1 : (octaves + most - 1) / most;
    unsigned count = 0;
    for (unsigned octave = 0; octave < octaves && count + parts <= most; octave += step) {
        for (unsigned part = 0; part < parts; ++part) {
            begins[count++] = (first << octave) + (first << octave) / parts * part;
        }
    }
    return count;
}

/// To 3 bits behind the point, where the number is not too large for them.
uint32_t root_of_64_times(uint32_t number) {
    constexpr uint32_t exact = UINT32_MAX / 64;
    const uint32_t square = number <= exact ? number * 64 : number;
    uint32_t root = 0;
    for (uint32_t bit = 1 << 15; bit != 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= square) {
            root |= bit;
        }
    }
    return number <= exact ? root : root * 8;
}

/// So that no bin has more parts of the whole than sizes, and the parts are as many as bins are wanted. What
/// one loses makes the parts smaller, and others lose then.
void limit_to_sizes(const CountedBins& old, unsigned wanted, uint32_t* weights) {
    constexpr int most_rounds = 16;
    for (int round = 0; round < most_rounds; ++round) {
        uint32_t whole = 0;
        for (unsigned bin = 0; bin < old.bins; ++bin) {
            whole += weights[bin];
        }
        const uint32_t part = whole / wanted + 1;
        bool has_changed = false;
        for (unsigned bin = 0; bin < old.bins; ++bin) {
            const uint32_t sizes = (end_of(old, bin) - old.begins[bin] + old.granule - 1) / old.granule;
            if (weights[bin] > uint64_t{sizes} * part) {
                weights[bin] = sizes * part;
                has_changed = true;
            }
        }
        if (!has_changed) {
            return;
        }
    }
}

/// Sizes from the begin of one to that of the next, twice as large; the first one is of all smaller sizes.
class Octaves {
  public:
    explicit Octaves(const CountedBins& old) : first_(old.granule * 4), granule_(old.granule) {
        for (unsigned octave = 0; octave < most; ++octave) {  // as a whole they would be cleared by memset
            weights_[octave] = 0;
            bits_[octave] = 0;
        }
        while (count_ < most && begin(count_) < old.end) {
            ++count_;
        }
        for (unsigned bin = 0; bin < old.bins; ++bin) {
            add(old.begins[bin], end_of(old, bin), old.counts[bin]);
        }
    }
    unsigned count() const { return count_; }
    uint32_t begin(unsigned octave) const { return octave == 0 ? 0 : first_ << (octave - 1); }
    uint32_t width(unsigned octave) const { return octave == 0 ? first_ : begin(octave); }
    uint32_t weight(unsigned octave) const { return weights_[octave]; }
    unsigned bits(unsigned octave) const { return bits_[octave]; }

    /// Divides octaves until there are so many bins, each time where that spares most for each bin more.
    void divide(unsigned wanted) {
        for (unsigned bins = count_;;) {
            unsigned best = most;
            for (unsigned octave = 0; octave < count_; ++octave) {
                const bool can_be =
                    width(octave) >> bits_[octave] > granule_ && bins + (1U << bits_[octave]) <= wanted;
                if (can_be && spared(octave) > (best == most ? 0 : spared(best))) {
                    best = octave;
                }
            }
            if (best == most) {
                return;
            }
            bins += 1U << bits_[best]++;
        }
    }

  private:
    static constexpr unsigned most = 28;

    /// A bin with c steps that is divided into n has c / n: of a bin more, as c / (n * n).
    uint32_t spared(unsigned octave) const { return (weights_[octave] << 8) >> (2 * bits_[octave]); }

    /// What was counted in a bin, evenly spread over its sizes.
    void add(uint32_t from, uint32_t to, uint32_t weight) {
        for (unsigned octave = 0; octave < count_; ++octave) {
            const uint32_t begins = begin(octave) > from ? begin(octave) : from;
            const uint32_t end = begin(octave) + width(octave);
            const uint32_t ends = octave + 1 == count_ || end > to ? to : end;
            if (begins < ends) {
                weights_[octave] += part_of(weight, ends - begins, to - from);
            }
        }
    }

    uint32_t first_, granule_;
    unsigned count_ = 1;
    uint32_t weights_[most];
    uint8_t bits_[most];  ///< two to the power of it are its bins
};

}  // namespace

unsigned redistribute_linearly(const CountedBins& old, unsigned wanted, uint32_t* result) {
    const Weights weights(old);
    if (weights.total() == 0) {
        return 0;
    }
    Begins begins(result, old.granule);
    uint32_t below = 0;  // what the old bins before this one weigh
    unsigned next = 1;   // the bin whose begin is looked for
    for (unsigned bin = 0; bin < old.bins; ++bin) {
        const uint32_t weight = weights.of(bin);
        const uint32_t width = end_of(old, bin) - old.begins[bin];
        while (next < wanted && next * weights.total() / wanted < below + weight) {
            const uint32_t part = next * weights.total() / wanted - below;
            begins.add(old.begins[bin] + share(width, part, weight));
            ++next;
        }
        below += weight;
    }
    return begins.count();
}

unsigned redistribute_smoothly(const CountedBins& old, unsigned wanted, uint32_t* result) {
    uint32_t even[most_even];
    const unsigned evenly = lay_out_evenly(old, wanted / 4 < most_even ? wanted / 4 : most_even, even);
    const unsigned counted = redistribute_linearly(old, wanted - evenly, result);
    return counted == 0 ? 0 : merge(result, counted, even, evenly);
}

unsigned redistribute_by_cost(const CountedBins& old, uint32_t* counts, unsigned wanted, uint32_t* result) {
    for (unsigned bin = 0; bin < old.bins; ++bin) {
        counts[bin] = root_of_64_times(counts[bin]);
    }
    limit_to_sizes(old, wanted - wanted / 4, counts);
    return redistribute_smoothly(old, wanted, result);
}

unsigned redistribute_by_octave(const CountedBins& old, uint32_t* counts, unsigned wanted, uint32_t* result) {
    constexpr unsigned counted_bits = 23;
    const codegen::bins::Scale scale = codegen::bins::scale_to(counted_bits, counts, old.bins);
    if (scale.sum == 0) {
        return 0;
    }
    for (unsigned bin = 0; bin < old.bins; ++bin) {
        counts[bin] >>= scale.shift;
    }
    Octaves octaves(old);
    octaves.divide(wanted);
    unsigned bins = 0;
    for (unsigned octave = 0; octave < octaves.count() && bins < wanted; ++octave) {
        const unsigned bits = octaves.bits(octave);
        for (unsigned part = 0; part < 1U << bits && bins < wanted; ++part) {
            result[bins] = octaves.begin(octave) + (octaves.width(octave) >> bits) * part;
            counts[bins++] = octaves.weight(octave) >> bits;
        }
    }
    return bins;
}

}  // namespace malloom::heaps::bins
