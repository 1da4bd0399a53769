"""The goals on speed: plans against the C library, against other allocators, and where they do not fit."""

from collections.abc import Sequence

from malloom.bench.goals import Goal, Of, against_limit
from malloom.bench.placement.plans import optimized, planned
from malloom.bench.placement.races import SEQUENTIAL
from malloom.bench.races import measured_row, race
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.layout.registry import AUTO
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Row

FALLBACK = "fallback"
OPTIMIZED = "optimize"


def speed_goals(bench: Bench, case: Case, metric: str, limit: float, budget: Budget) -> list[Goal]:
    """The automatic plan against the C library: time, and peak memory at most 1.10."""
    environments = {variants.GLIBC: {}, AUTO: variants.planned(planned(bench, case, AUTO))}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    measured = measured_row(case.place, rounds, AUTO, variants.GLIBC, metric)
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
    rows = [measured_row(case.place, rounds, variant, peer, "cpu_time") for peer in peers]
    return max(rows, key=lambda each: each.ratio)


def foreign_plan_goals(bench: Bench, case: Case, others: Sequence[Case], budget: Budget) -> list[Goal]:
    """Plans that were made for something else, against the fallback alone; the race checks the output."""
    environments = {FALLBACK: variants.fallback()}
    for other in others:
        name = f"plan of {other.workload} {other.input}"
        environments[name] = variants.planned(planned(bench, other, AUTO))
    rounds = race(bench, case, environments, budget, FALLBACK)
    names = [name for name in rounds.runs if name != FALLBACK]
    return [Goal(measured_row(case.place, rounds, name, FALLBACK, "cpu_time"), 1.02) for name in names]


def start_up_goals(bench: Bench, tiny: Case, large: Case, budget: Budget) -> list[Goal]:
    """What mapping a plan of a million slots adds to a program that does next to nothing: at most 2 ms."""
    plan = planned(bench, large, SEQUENTIAL)
    environments = {FALLBACK: variants.fallback(), "large plan": variants.planned(plan)}
    rounds = race(bench, tiny, environments, budget, FALLBACK)
    times = [rounds.values(name, "cpu_time") for name in environments]
    added = [with_plan - without for without, with_plan in zip(*times, strict=True)]
    place = (tiny.workload, f"{tiny.input}, plan of {large.workload} {large.input}")
    return [against_limit(place, "large plan", "start_up_time", added, 2e-3)]
