"""What malloom must reach: each goal a row with its limit, whichever way it goes."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench import variants
from malloom.bench.interval import Interval, exact
from malloom.bench.pairs import Budget, Rounds
from malloom.bench.placement.plans import Bench, optimized, planned
from malloom.bench.placement.races import race
from malloom.bench.rows import Row, row
from malloom.bench.workloads import Case
from malloom.layout.registry import AUTO

FALLBACK = "fallback"
OPTIMIZED = "optimize"
LIMIT = "limit"
"""The baseline of what has an absolute limit: ratio = measured / limit."""


@dataclass(frozen=True)
class Goal:
    """A row and what it may be at most; `of_memory` where the limit is on peak_rss_ratio."""

    row: Row
    limit: float
    of_memory: bool = False

    @property
    def reached(self) -> bool:
        return self.value <= self.limit

    @property
    def value(self) -> float:
        if not self.of_memory:
            return self.row.ratio
        assert self.row.peak_rss_ratio is not None
        return self.row.peak_rss_ratio


def against_limit(place: tuple[str, str], variant: str, metric: str, measured: float, limit: float) -> Goal:
    """A goal with an absolute limit, in the unit of the metric."""
    return Goal(row(place, variant, LIMIT, metric, exact(measured / limit)), 1.0)


def _goal_row(case: Case, rounds: Rounds, variant: str, baseline: str, metric: str) -> Row:
    interval: Interval = rounds.ratio(variant, baseline, metric)
    peak = rounds.peak_ratio(variant, baseline)
    return row(case.place, variant, baseline, metric, interval, runs=len(rounds), peak=peak)


def speed_goals(bench: Bench, case: Case, metric: str, limit: float, budget: Budget) -> list[Goal]:
    """The automatic plan against the C library: time, and peak memory at most 1.10."""
    environments = {variants.GLIBC: {}, AUTO: variants.planned(planned(bench, case, AUTO))}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    measured = _goal_row(case, rounds, AUTO, variants.GLIBC, metric)
    return [Goal(measured, limit), Goal(measured, 1.10, of_memory=True)]


def peers_goals(bench: Bench, case: Case, budget: Budget, optimize_seconds: float) -> list[Goal]:
    """The automatic plan, and what `malloom optimize` leaves the user with, against the best of the general
    allocators: never slower.

    Where `optimize` keeps no plan the program runs as it is, so against glibc its row is 1 but for noise.
    """
    environments = variants.general_allocators()
    environments[AUTO] = variants.planned(planned(bench, case, AUTO))
    kept = optimized(bench, case, optimize_seconds)
    name = OPTIMIZED if kept else f"{OPTIMIZED}, none kept"
    environments[name] = variants.planned(kept) if kept else {}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    return [
        Goal(_against_best(case, rounds, variant), 1.00) for variant in (AUTO, name) if variant in rounds.runs
    ]


def _against_best(case: Case, rounds: Rounds, variant: str) -> Row:
    peers = [peer for peer in (variants.GLIBC, *variants.PEERS) if rounds.runs.get(peer)]
    rows = [_goal_row(case, rounds, variant, peer, "cpu_time") for peer in peers]
    return max(rows, key=lambda each: each.ratio)


def foreign_plan_goals(bench: Bench, case: Case, others: Sequence[Case], budget: Budget) -> list[Goal]:
    """Plans that were made for something else, against the fallback alone; the race checks the output."""
    environments = {FALLBACK: variants.fallback()}
    for other in others:
        environments[f"plan of {other.workload} {other.input}"] = variants.planned(
            planned(bench, other, AUTO)
        )
    rounds = race(bench, case, environments, budget, FALLBACK)
    names = [name for name in rounds.runs if name != FALLBACK]
    return [Goal(_goal_row(case, rounds, name, FALLBACK, "cpu_time"), 1.02) for name in names]


def start_up_goals(bench: Bench, tiny: Case, large: Case, budget: Budget) -> list[Goal]:
    """What mapping a plan of a million slots adds to a program that does next to nothing: at most 2 ms."""
    plan = planned(bench, large, "sequential")
    environments = {FALLBACK: variants.fallback(), "large plan": variants.planned(plan)}
    rounds = race(bench, tiny, environments, budget, FALLBACK)
    times = [rounds.values(name, "cpu_time") for name in environments]
    added = sorted(with_plan - without for without, with_plan in zip(*times, strict=True))
    place = (tiny.workload, f"{tiny.input}, plan of {large.workload} {large.input}")
    return [against_limit(place, "large plan", "start_up_time", added[len(added) // 2], 2e-3)]
