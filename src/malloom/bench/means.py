"""Geometric means over the races of a part, with the interval that the pairs of runs leave."""

from collections.abc import Mapping, Sequence

import numpy as np

from malloom.measure.interleaved import Rounds
from malloom.measure.interval import COVERAGE, FEWEST_PAIRS, Interval
from malloom.measure.rows import Place, Row, row

MEAN = "geometric mean"
RESAMPLES = 10_000


def geometric_mean(programs: Sequence[Sequence[float]], seed: int = 2005) -> Interval:
    """Geometric mean of the programs' median ratios, given each program's interleaved pairs.

    Order statistics give no interval of a mean of medians: it is the percentile bootstrap's over the pairs of
    every program (Efron 1979). The programs are the ones that the mean is of, and are not resampled.
    """
    mean = float(np.exp(np.mean([np.log(np.median(ratios)) for ratios in programs])))
    if min(map(len, programs)) < FEWEST_PAIRS:
        return Interval(mean, None, None)
    chance = np.random.default_rng(seed)
    resampled = np.stack([_resampled_medians(np.asarray(ratios), chance) for ratios in programs])
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(np.exp(np.log(resampled).mean(axis=0)), [tail, 100 - tail])
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
    both = [
        (rounds, baseline)
        for rounds, baseline in races
        if baseline and rounds.runs.get(variant) and rounds.runs.get(baseline)
    ]
    if not both:
        return []
    ratios = [rounds.pair_ratios(variant, baseline, metric) for rounds, baseline in both]
    fewest = min(len(rounds) for rounds, _ in both)
    place = (MEAN, f"{len(both)} {of}")
    behind = tuple(race for rounds, _ in both for race in rounds.races)
    return [row(place, variant, name, metric, geometric_mean(ratios), runs=fewest, races=behind)]


def _resampled_medians(ratios: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    picks = chance.integers(0, len(ratios), size=(RESAMPLES, len(ratios)))
    return np.asarray(np.median(ratios[picks], axis=1))
