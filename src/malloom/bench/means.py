"""Geometric means over the races of a part, with the interval that the pairs of runs leave."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from malloom.measure.interleaved import Rounds
from malloom.measure.interval import COVERAGE, FEWEST_PAIRS, Interval
from malloom.measure.rows import Place, Row, row

MEAN = "geometric mean"
RESAMPLES = 10_000


def mean_of(ratios: Sequence[float]) -> float:
    """Of counts, which have no interval."""
    return float(np.exp(np.mean(np.log(ratios))))


def geometric_mean(
    programs: Sequence[Sequence[float]], weights: Sequence[float] | None = None, seed: int = 2005
) -> Interval:
    """Geometric mean of the programs' median ratios, given each program's interleaved pairs, and what each
    counts; None: all the same.

    Order statistics give no interval of a mean of medians: it is the percentile bootstrap's over the pairs of
    every program (Efron 1979). The programs are the ones that the mean is of, and are not resampled.
    """
    logarithms = [np.log(np.median(ratios)) for ratios in programs]
    mean = float(np.exp(np.average(logarithms, weights=weights)))
    if min(map(len, programs)) < FEWEST_PAIRS:
        return Interval(mean, None, None)
    chance = np.random.default_rng(seed)
    resampled = np.stack([_resampled_medians(np.asarray(ratios), chance) for ratios in programs])
    tail = 100 * (1 - COVERAGE) / 2
    means = np.exp(np.average(np.log(resampled), axis=0, weights=weights))
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(mean, float(low), float(high))


def mean_row(
    races: Mapping[Place, Rounds], of: str, variant: str, baseline: str, metric: str = "cpu_time"
) -> list[Row]:
    """Over the races that have both; none where none has. Its pairs are those of the race with the fewest."""
    both = [(rounds, baseline) for rounds in races.values()]
    return mean_row_against(both, of, variant, baseline, metric)


def mean_row_against(
    races: Sequence[tuple[Rounds, str | None]], of: str, variant: str, name: str, metric: str = "cpu_time"
) -> list[Row]:
    """The same with a baseline for each race, which all go by one name."""
    both = _that_have(races, variant)
    return _mean(both, [1.0] * len(both), f"{len(both)} {of}", variant, name, metric)


def mean_of_programs(
    races: Mapping[Place, tuple[Rounds, str | None]],
    of: str,
    variant: str,
    name: str,
    metric: str = "cpu_time",
) -> list[Row]:
    """The same over programs: all inputs of a program together count as much as the one of another."""
    there = {place: race for place, race in races.items() if _that_have([race], variant)}
    inputs = Counter(program for program, _ in there)
    weights = [1 / inputs[program] for program, _ in there]
    both = _that_have([*there.values()], variant)
    return _mean(both, weights, f"{len(inputs)} {of}", variant, name, metric)


def _that_have(races: Sequence[tuple[Rounds, str | None]], variant: str) -> list[tuple[Rounds, str]]:
    return [
        (rounds, baseline)
        for rounds, baseline in races
        if baseline and rounds.runs.get(variant) and rounds.runs.get(baseline)
    ]


def _mean(
    both: Sequence[tuple[Rounds, str]],
    weights: Sequence[float],
    of: str,
    variant: str,
    name: str,
    metric: str,
) -> list[Row]:
    if not both:
        return []
    ratios = [rounds.pair_ratios(variant, baseline, metric) for rounds, baseline in both]
    fewest = min(len(rounds) for rounds, _ in both)
    behind = tuple(race for rounds, _ in both for race in rounds.races)
    mean = geometric_mean(ratios, weights)
    return [row((MEAN, of), variant, name, metric, mean, runs=fewest, races=behind)]


def _resampled_medians(ratios: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    picks = chance.integers(0, len(ratios), size=(RESAMPLES, len(ratios)))
    return np.asarray(np.median(ratios[picks], axis=1))
