"""What interleaved pairs say: a median ratio, the exact interval of that median, and a verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import count, islice, takewhile
from math import floor, inf
from statistics import NormalDist

import numpy as np

from malloom.errors import CommandError

COVERAGE = 0.95
"""How often at least an interval holds the median that no end of runs would give."""
ERROR = 1 - Fraction(str(COVERAGE))
"""How often at most it does not."""
FEWEST_PAIRS = 6
"""With fewer, even the whole range of what was measured covers less: two sides of 1/2^5 are 6 %."""


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no difference"


@dataclass(frozen=True)
class Interval:
    """Median of the pairs' ratios (below 1 is better) and the bounds of its interval; None where too few
    pairs were run for one. A count, which every run repeats, has both bounds equal to it."""

    ratio: float
    low: float | None
    high: float | None

    @property
    def verdict(self) -> Verdict:
        """None but `no difference` where the interval holds 1, or where there is none."""
        if self.low is None or self.high is None:
            return Verdict.NO_DIFFERENCE
        if self.high < 1:
            return Verdict.FASTER
        return Verdict.SLOWER if self.low > 1 else Verdict.NO_DIFFERENCE

    @property
    def width(self) -> float:
        """Infinite where there is no interval."""
        return inf if self.low is None or self.high is None else self.high - self.low


def exact(ratio: float) -> Interval:
    """A ratio of counts, which every run repeats."""
    return Interval(ratio, ratio, ratio)


def median_ratio(variant: Sequence[float], baseline: Sequence[float]) -> Interval:
    """Median of variant[i] / baseline[i], and the interval of that median. Raises CommandError where a
    ratio is no number, as the baseline has nothing of what was measured."""
    divisors = np.asarray(baseline, dtype=np.float64)
    if not divisors.all():
        raise CommandError("the baseline has 0 of what was measured", remedy="measure a longer run")
    return median_of(np.asarray(variant, dtype=np.float64) / divisors)


def median_of(ratios: Sequence[float] | np.ndarray, error: Fraction = ERROR) -> Interval:
    """The median of independent ratios and its interval between two of them, which holds for any distribution
    (Conover, Practical Nonparametric Statistics, section 3.2), and misses the median in `error` of all cases
    at most."""
    ordered = np.sort(np.asarray(ratios, dtype=np.float64))
    median, left_out = float(np.median(ordered)), values_outside(len(ordered), error)
    if left_out is None:
        return Interval(median, None, None)
    return Interval(median, float(ordered[left_out]), float(ordered[len(ordered) - 1 - left_out]))


@cache
def values_outside(count: int, error: Fraction = ERROR) -> int | None:
    """How many of so many ordered values lie outside the median's interval, at each end; None where even the
    interval from the least to the greatest misses the median more often than it may.

    Each value is below the median or above it with even chances, so what lies below is binomial.
    """
    most = floor(error / 2 * 2**count)
    found = sum(1 for _ in takewhile(lambda ways: ways <= most, _ways_below(count))) - 1
    return None if found < 0 else found


def fewest_pairs(medians: int) -> int:
    """Pairs for each of so many medians with which every interval of `together` has two ends."""
    return next(
        pairs for pairs in count(FEWEST_PAIRS) if values_outside(pairs, ERROR / max(medians, 1)) is not None
    )


def chance_of_slower(ratios: Sequence[float]) -> float:
    """How often as many of so many ratios, or more, lie above 1 by chance where their median is 1: the sign
    test's one-sided p."""
    not_above, all_ways = sum(ratio <= 1 for ratio in ratios), 2 ** len(ratios)
    return float(Fraction(next(islice(_ways_below(len(ratios)), not_above, None), all_ways), all_ways))


def together(samples: Sequence[Sequence[float]]) -> list[Interval]:
    """The intervals of several medians of which any one above 1 counts: no low end is above 1 by chance in
    more of all cases than for one alone (Holm, A simple sequentially rejective multiple test, 1979).

    The least likely has the widest interval; after the first whose low end is not above 1 none gets narrower.
    """
    found: dict[int, Interval] = {}
    error, is_open = ERROR / max(len(samples), 1), True
    for place, which in enumerate(sorted(range(len(samples)), key=lambda i: chance_of_slower(samples[i]))):
        error = ERROR / (len(samples) - place) if is_open else error
        found[which] = median_of(samples[which], error)
        is_open = is_open and found[which].low is not None and (found[which].low or 0) > 1
    return [found[which] for which in range(len(samples))]


def _ways_below(count: int) -> Iterator[int]:
    """In how many of 2**count cases at most 0, at most 1, 2 and so on of the values lie below the median.

    In whole numbers, as a float does not hold 2**1024.
    """
    total = ways = 1
    for below in range(1, count + 1):
        yield total
        ways = ways * (count - below + 1) // below
        total += ways


def beyond_coverage(count: int) -> float:
    """By how much the interval of so many values is wider than one that covers just COVERAGE, as its ends are
    values: 1.17 for 10, whose interval covers 97.9 %. 1 where there is none."""
    outside = values_outside(count)
    if outside is None:
        return 1.0
    covered = 1 - 2 * float(Fraction(next(islice(_ways_below(count), outside, None)), 2**count))
    half = NormalDist().inv_cdf
    return half((1 + covered) / 2) / half((1 + COVERAGE) / 2)
