"""Geometric means over programs, with the interval that the pairs of runs leave."""

from collections.abc import Sequence

import numpy as np

from malloom.measure.interval import COVERAGE, RESAMPLES, Interval

Pairs = Sequence[float]
"""The ratios of one program's interleaved pairs."""


def geometric_mean(programs: Sequence[Pairs], seed: int = 2005) -> Interval:
    """Geometric mean of the programs' median ratios. The interval is the percentile bootstrap's over the
    pairs of every program: the programs are the ones that the mean is of, and are not resampled.
    """
    chance = np.random.default_rng(seed)
    medians = np.array([np.median(pairs) for pairs in programs])
    resampled = np.stack([_resampled_medians(np.asarray(pairs), chance) for pairs in programs])
    means = np.exp(np.log(resampled).mean(axis=0))
    tail = (100 - COVERAGE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(np.exp(np.log(medians).mean())), float(low), float(high))


def _resampled_medians(pairs: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    picks = chance.integers(0, len(pairs), size=(RESAMPLES, len(pairs)))
    return np.asarray(np.median(pairs[picks], axis=1))
