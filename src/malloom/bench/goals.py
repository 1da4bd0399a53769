"""What malloom must reach: each goal a row with its limit, whichever way it goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from malloom.measure.interleaved import RaceId
from malloom.measure.interval import median_ratio
from malloom.measure.rows import MEASURED_ON, Place, Row, row

LIMIT = "limit"
"""The baseline of what has an absolute limit: ratio = measured / limit."""


class Of(StrEnum):
    """What of a row is held against a limit."""

    RATIO = "ratio"
    LOW = "low"
    HIGH = "high"
    PEAK = "peak_rss_ratio"


@dataclass(frozen=True)
class Goal:
    """A row and what it may be at most; None where there is nothing to reach, as any verdict will do."""

    row: Row
    limit: float | None
    of: Of = Of.RATIO

    @property
    def is_judged(self) -> bool:
        """Whether there are a limit and runs enough: a comparison without an interval says nothing. What is
        held against an absolute limit is no comparison."""
        is_compared = self.of is not Of.PEAK and self.row.baseline != LIMIT
        return self.limit is not None and (not is_compared or self.row.low is not None)

    @property
    def reached(self) -> bool | None:
        """None where it is not judged."""
        if not self.is_judged or self.value is None or self.limit is None:
            return None
        return self.value <= self.limit

    @property
    def is_near(self) -> bool:
        """Whether the limit is as near to what is held as noise can move that: another time a goal that is
        reached might be missed, and one that is missed reached. The median may lie anywhere in its
        interval; an end of it as far to either side as it is from the median. There is no such doubt about
        a count, and a peak has no interval."""
        low, high, ratio = self.row.low, self.row.high, self.row.ratio
        if self.limit is None or self.of is Of.PEAK or low is None or high is None or low == high:
            return False
        if self.of is Of.LOW:
            return abs(self.limit - low) <= ratio - low
        if self.of is Of.HIGH:
            return abs(self.limit - high) <= high - ratio
        return low <= self.limit <= high

    @property
    def value(self) -> float | None:
        """What is held against the limit; None where it was not measured, or is the end of no interval."""
        value = getattr(self.row, self.of.value)
        return None if value is None else float(value)

    @property
    def metric(self) -> str:
        return "peak_rss" if self.of is Of.PEAK else self.row.metric

    def as_data(self) -> dict[str, Any]:
        """For machines: which row, what of it was measured, in how many runs, and the limit."""
        place = _of_row(self.row, "workload", "input", "variant", "baseline")
        held = {"metric": self.metric, "of": self.of.value, "measured": self.value}
        # The row's interval is of its ratio, and a peak has none.
        ends = {"low": None, "high": None} if self.of is Of.PEAK else _of_row(self.row, "low", "high")
        behind = _of_row(self.row, "runs", "last_level", *MEASURED_ON)
        return {**place, **held, **ends, **behind, "limit": self.limit, "reached": self.reached}


def _of_row(row: Row, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def against_limit(
    place: Place,
    variant: str,
    metric: str,
    measured: Sequence[float],
    limit: float,
    races: tuple[RaceId, ...] = (),
) -> Goal:
    """A goal with an absolute limit, in the unit of the metric, over the median of what was measured."""
    ratio = median_ratio(measured, [limit] * len(measured))
    return Goal(row(place, variant, LIMIT, metric, ratio, runs=len(measured), races=races), 1.0)
