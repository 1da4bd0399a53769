"""What interleaved pairs say: a median ratio, its bootstrap interval, and a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

RESAMPLES = 10_000
COVERAGE = 95.0


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no difference"


@dataclass(frozen=True)
class Interval:
    """Median of the pairs' ratios (below 1 is better) and the bounds of its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """None but `no difference` where the interval holds 1."""
        if self.high < 1:
            return Verdict.FASTER
        return Verdict.SLOWER if self.low > 1 else Verdict.NO_DIFFERENCE

    @property
    def width(self) -> float:
        return self.high - self.low


def exact(ratio: float) -> Interval:
    """A ratio of counts, which every run repeats."""
    return Interval(ratio, ratio, ratio)


def median_ratio(variant: Sequence[float], baseline: Sequence[float], seed: int = 2004) -> Interval:
    """Interval of the median of variant[i] / baseline[i] by the percentile bootstrap over pairs (Efron 1979).

    With few pairs the percentiles are the extremes, so fewer than 6 pairs cover less than 95 %.
    """
    ratios = np.asarray(variant, dtype=np.float64) / np.asarray(baseline, dtype=np.float64)
    picks = np.random.default_rng(seed).integers(0, len(ratios), size=(RESAMPLES, len(ratios)))
    medians = np.median(ratios[picks], axis=1)
    tail = (100 - COVERAGE) / 2
    low, high = np.percentile(medians, [tail, 100 - tail])
    return Interval(float(np.median(ratios)), float(low), float(high))
