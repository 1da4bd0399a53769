"""How well what was predicted of layouts agrees with what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from malloom.bench.gathered import Gathered, without_errors
from malloom.measure.interleaved import Rounds
from malloom.measure.interval import COVERAGE, FEWEST_PAIRS, Interval, exact

F64 = npt.NDArray[np.float64]
RESAMPLES = 2_000
"""Drawn for an interval."""
SEED = 2005


@dataclass(frozen=True)
class Judged:
    """A race of layouts against the one as recorded, and the CPU times predicted of them, as ratios to it."""

    rounds: Rounds
    baseline: str
    predicted: Mapping[str, float]

    @property
    def names(self) -> list[str]:
        """Those that were measured, the layout as recorded among them."""
        return [self.baseline, *(name for name in self.predicted if self.rounds.runs.get(name))]

    @property
    def foretold(self) -> F64:
        return np.array([self.predicted.get(name, 1.0) for name in self.names])

    @property
    def pairs(self) -> F64:
        """Ratios of CPU time: a row for each name, a column for each round."""
        return np.array([self.rounds.pair_ratios(name, self.baseline, "cpu_time") for name in self.names])


class Predictions(Gathered[Judged]):
    """The races so far, by program and input."""

    kind = Judged

    def as_kept(self, value: Judged) -> Judged:
        return replace(value, rounds=without_errors(value.rounds))


def ranks(numbers: Sequence[float] | F64) -> F64:
    """From the least on; equal numbers share the mean of theirs."""
    values = np.asarray(numbers, dtype=np.float64)
    ordered = np.sort(values)
    first, last = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    found: F64 = (first + last - 1) / 2
    return found


def rank_correlation(one: Sequence[float] | F64, other: Sequence[float] | F64) -> float:
    """Spearman's, from -1 to 1; 0 where one of them has no order."""
    first, second = ranks(one), ranks(other)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def spread(judged: Judged) -> Interval:
    """The slowest layout's CPU time against the fastest one's. Which they are was seen in the same rounds, so
    that the interval flatters it a little."""
    medians = np.median(judged.pairs, axis=1)
    slowest, fastest = (judged.names[int(at)] for at in (medians.argmax(), medians.argmin()))
    if slowest == fastest:
        return exact(1.0)
    return judged.rounds.ratio(slowest, fastest, "cpu_time")


def mean_error(judged: Judged) -> float:
    """Of predicted CPU times against measured ones, up or down alike: the mean of absolute log ratios, as a
    ratio from 1 on."""
    medians = np.median(judged.pairs, axis=1)[1:]
    return float(np.exp(np.mean(np.abs(np.log(judged.foretold[1:] / medians)))))


def correlation(races: Sequence[Judged]) -> Interval:
    """The mean of the rank correlations, with the percentile bootstrap's interval over the rounds of every
    race; the programs are the ones that the mean is of, and are not resampled."""
    told = float(np.mean([rank_correlation(each.foretold, np.median(each.pairs, axis=1)) for each in races]))
    if min(each.pairs.shape[1] for each in races) < FEWEST_PAIRS:
        return Interval(told, None, None)
    chance = np.random.default_rng(SEED)
    means = np.mean([_resampled(each, chance) for each in races], axis=0)
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(told, min(float(low), told), max(float(high), told))


def _resampled(judged: Judged, chance: np.random.Generator) -> list[float]:
    """All layouts of a round are drawn together: they were measured side by side."""
    pairs, foretold = judged.pairs, judged.foretold
    picks = chance.integers(0, pairs.shape[1], size=(RESAMPLES, pairs.shape[1]))
    return [rank_correlation(foretold, np.median(pairs[:, pick], axis=1)) for pick in picks]
