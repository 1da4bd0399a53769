"""A geometric mean over the races of a part, as a row."""

from collections.abc import Sequence

from malloom.bench.dynamic.means import geometric_mean
from malloom.measure.interleaved import Rounds
from malloom.measure.rows import Row, row

MEAN = "geometric mean"
Races = dict[tuple[str, str], Rounds]
"""The races of a part so far, by workload and input."""


def mean_row(races: Races, of: str, variant: str, baseline: str, metric: str = "cpu_time") -> list[Row]:
    """Over the races that have both; none where none has. Its pairs are those of the race with the fewest."""
    both = [rounds for rounds in races.values() if rounds.runs.get(variant) and rounds.runs.get(baseline)]
    if not both:
        return []
    ratios: Sequence[list[float]] = [rounds.pair_ratios(variant, baseline, metric) for rounds in both]
    place = (MEAN, f"{len(both)} {of}")
    return [row(place, variant, baseline, metric, geometric_mean(ratios), runs=min(map(len, both)))]
