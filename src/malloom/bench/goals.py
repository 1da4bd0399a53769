"""What malloom must reach: each goal a row with its limit, whichever way it goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from malloom.measure.interval import median_ratio
from malloom.measure.rows import Row, row

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
    """A row and what it may be at most; None where any verdict will do."""

    row: Row
    limit: float | None
    of: Of = Of.RATIO

    @property
    def reached(self) -> bool:
        return self.limit is None or self.value <= self.limit

    @property
    def is_near(self) -> bool:
        """Whether the interval holds the limit: another time a goal that is reached might be missed, and one
        that is missed reached. There is no such doubt about a count, and a peak has no interval."""
        if self.limit is None or self.of is Of.PEAK or self.row.low == self.row.high:
            return False
        return self.row.low <= self.limit <= self.row.high

    @property
    def value(self) -> float:
        value = getattr(self.row, self.of.value)
        assert value is not None
        return float(value)

    @property
    def metric(self) -> str:
        return "peak_rss" if self.of is Of.PEAK else self.row.metric

    def as_data(self) -> dict[str, Any]:
        """For machines: which row, what of it was measured, and the limit."""
        names = ("workload", "input", "variant", "baseline")
        place = {name: getattr(self.row, name) for name in names}
        held = {"metric": self.metric, "of": self.of.value, "measured": self.value, "limit": self.limit}
        return {**place, **held, "reached": self.reached}


def against_limit(
    place: tuple[str, str], variant: str, metric: str, measured: Sequence[float], limit: float
) -> Goal:
    """A goal with an absolute limit, in the unit of the metric, over the median of what was measured."""
    ratio = median_ratio(measured, [limit] * len(measured))
    return Goal(row(place, variant, LIMIT, metric, ratio, runs=len(measured)), 1.0)
