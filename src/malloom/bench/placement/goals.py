"""What malloom must reach: each goal a row with its limit, whichever way it goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from malloom.bench import variants
from malloom.bench.interval import Interval, median_ratio
from malloom.bench.pairs import Budget, Rounds
from malloom.bench.placement.plans import Bench, optimized, planned
from malloom.bench.placement.races import SEQUENTIAL, race
from malloom.bench.rows import Row, row
from malloom.bench.workloads import Case
from malloom.layout.registry import AUTO

FALLBACK = "fallback"
OPTIMIZED = "optimize"
LIMIT = "limit"
"""The baseline of what has an absolute limit: ratio = measured / limit."""


class Of(StrEnum):
    """What of a row is held against a limit."""

    RATIO = "ratio"
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
        """Whether the interval of a ratio that missed holds the limit: of two commands that are the same, one
        is above the other half the time."""
        if self.limit is None or self.reached or self.of is not Of.RATIO:
            return False
        return self.row.low <= self.limit

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


def _goal_row(case: Case, rounds: Rounds, variant: str, baseline: str, metric: str) -> Row:
    interval: Interval = rounds.ratio(variant, baseline, metric)
    peak = rounds.peak_ratio(variant, baseline)
    return row(case.place, variant, baseline, metric, interval, runs=len(rounds), peak=peak)


def speed_goals(bench: Bench, case: Case, metric: str, limit: float, budget: Budget) -> list[Goal]:
    """The automatic plan against the C library: time, and peak memory at most 1.10."""
    environments = {variants.GLIBC: {}, AUTO: variants.planned(planned(bench, case, AUTO))}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    measured = _goal_row(case, rounds, AUTO, variants.GLIBC, metric)
    return [Goal(measured, limit), Goal(measured, 1.10, Of.PEAK)]


def peers_goals(bench: Bench, case: Case, budget: Budget, optimize_seconds: float) -> list[Row | Goal]:
    """What `malloom optimize` leaves the user with against the best of the general allocators: never slower.

    Where it keeps no plan the program runs as it is. Beside it, without a limit, stands the plan that
    simulation alone chooses: nothing has measured whether that helps.
    """
    environments = variants.general_allocators()
    environments[AUTO] = variants.as_run(planned(bench, case, AUTO))
    kept = optimized(bench, case, optimize_seconds)
    name = f"{OPTIMIZED}: {kept.strategy}" if kept else f"{OPTIMIZED}: none kept"
    environments[name] = variants.as_run(kept.plan) if kept else {}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    alone = [_against_best(case, rounds, AUTO)] if AUTO in rounds.runs else []
    return [*alone, Goal(_against_best(case, rounds, name), 1.00)]


def _against_best(case: Case, rounds: Rounds, variant: str) -> Row:
    peers = [peer for peer in (variants.GLIBC, *variants.PEERS) if rounds.runs.get(peer)]
    rows = [_goal_row(case, rounds, variant, peer, "cpu_time") for peer in peers]
    return max(rows, key=lambda each: each.ratio)


def foreign_plan_goals(bench: Bench, case: Case, others: Sequence[Case], budget: Budget) -> list[Goal]:
    """Plans that were made for something else, against the fallback alone; the race checks the output."""
    environments = {FALLBACK: variants.fallback()}
    for other in others:
        name = f"plan of {other.workload} {other.input}"
        environments[name] = variants.planned(planned(bench, other, AUTO))
    rounds = race(bench, case, environments, budget, FALLBACK)
    names = [name for name in rounds.runs if name != FALLBACK]
    return [Goal(_goal_row(case, rounds, name, FALLBACK, "cpu_time"), 1.02) for name in names]


def start_up_goals(bench: Bench, tiny: Case, large: Case, budget: Budget) -> list[Goal]:
    """What mapping a plan of a million slots adds to a program that does next to nothing: at most 2 ms."""
    plan = planned(bench, large, SEQUENTIAL)
    environments = {FALLBACK: variants.fallback(), "large plan": variants.planned(plan)}
    rounds = race(bench, tiny, environments, budget, FALLBACK)
    times = [rounds.values(name, "cpu_time") for name in environments]
    added = [with_plan - without for without, with_plan in zip(*times, strict=True)]
    place = (tiny.workload, f"{tiny.input}, plan of {large.workload} {large.input}")
    return [against_limit(place, "large plan", "start_up_time", added, 2e-3)]
