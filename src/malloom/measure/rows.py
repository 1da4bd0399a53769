"""The rows that runs give, as `malloom bench --json` writes them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malloom.measure.host import Host
from malloom.measure.interleaved import RaceId, Rounds, again
from malloom.measure.interval import Interval

Place = tuple[str, str]
"""Workload and input, as a Row names them."""


@dataclass(frozen=True)
class Row:
    """ratio = variant / baseline of the metric; low and high bound the median's interval: equal for counts,
    None where fewer pairs were run than an interval needs.

    `peak_rss_ratio` is None where memory was not measured. `last_level` is the size of the cache, in bytes,
    that the input's size is told by ("2x" has twice as many); 0 where that says nothing. `races` are those
    behind the row: one, several of a mean, none of a count. `commit`, `processor` and `date` say what it was
    measured on, so that it can stand alone; a table may have rows of several commits.
    """

    workload: str
    input: str
    variant: str
    baseline: str
    metric: str
    ratio: float
    low: float | None
    high: float | None
    runs: int
    peak_rss_ratio: float | None
    last_level: int = 0
    races: tuple[RaceId, ...] = ()
    commit: str = "unknown"
    processor: str = "unknown"
    date: str = "unknown"

    @property
    def place(self) -> Place:
        return self.workload, self.input

    @property
    def is_exact(self) -> bool:
        """Whether it is a count, which every run repeats."""
        return self.low is not None and self.low == self.high


MEASURED_ON = ("commit", "processor", "date")
"""What a row has of the host."""


def row(
    place: Place,
    variant: str,
    baseline: str,
    metric: str,
    interval: Interval,
    *,
    runs: int = 1,
    peak: float | None = None,
    races: tuple[RaceId, ...] = (),
) -> Row:
    """A Row of `place` (workload, input)."""
    ratio, low, high = interval.ratio, interval.low, interval.high
    return Row(*place, variant, baseline, metric, ratio, low, high, runs, peak, races=races)


def describe_interval(row: Row) -> str:
    """`0.512 [0.500 0.523] n 12` with the number of pairs, or the ratio alone where it is exact."""
    if row.is_exact:
        return f"{row.ratio:.3f}"
    if row.low is None or row.high is None:
        return f"{row.ratio:.3f} n {row.runs}"
    return f"{row.ratio:.3f} [{row.low:.3f} {row.high:.3f}] n {row.runs}"


def measured_row(place: Place, rounds: Rounds, variant: str, baseline: str, metric: str) -> Row:
    """What a race says of a variant, its peak memory included."""
    interval = rounds.ratio(variant, baseline, metric)
    peak = rounds.peak_ratio(variant, baseline)
    return row(place, variant, baseline, metric, interval, runs=len(rounds), peak=peak, races=rounds.races)


def control_rows(place: Place, rounds: Rounds, baseline: str, metric: str = "cpu_time") -> list[Row]:
    """The baseline against itself, where it ran twice."""
    control = again(baseline)
    there = rounds.runs.get(control)
    return [measured_row(place, rounds, control, baseline, metric)] if there else []


def rows_of(place: Place, rounds: Rounds, baseline: str, metrics: Sequence[str]) -> list[Row]:
    """A row for every other variant and metric; none where the baseline left."""
    if baseline not in rounds.runs:
        return []
    return [
        measured_row(place, rounds, name, baseline, metric)
        for metric in metrics
        for name in rounds.runs
        if name != baseline
    ]


def to_json(
    suite: str,
    host: Host,
    rows: Sequence[Mapping[str, Any]],
    goals: Sequence[Mapping[str, Any]] = (),
    failures: Sequence[Mapping[str, str]] = (),
    notes: Sequence[Mapping[str, str]] = (),
    left_out: Sequence[Mapping[str, str]] = (),
) -> str:
    """The suite's rows, its goals, what could not be measured (part, what, why), notes on the rest, and what
    was left out (part, what, why)."""
    data = {
        "suite": suite,
        "host": dict(host),
        "rows": list(rows),
        "goals": list(goals),
        "failures": list(failures),
        "notes": list(notes),
        "left_out": list(left_out),
    }
    return json.dumps(data, indent=1, allow_nan=False)
