"""Peak memory with pools against the larger of two general allocators'."""

from collections.abc import Sequence

from malloom.bench.cases import Runnable
from malloom.bench.goals import Goal, against_limit
from malloom.bench.pools.allocators import HugePages
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.interval import median_ratio
from malloom.measure.rows import Row, control_rows, measured_row, row
from malloom.measure.variants import GLIBC, POOLS

PEAK, ALLOWANCE = 1.10, 4 << 20
"""Of the larger peak of the general allocators, and bytes beside it."""
COMPARED = (GLIBC, "mimalloc 2")
"""Newer versions of mimalloc need more, which must not loosen the limit."""
METRIC = "peak_memory"


def memory_rows(bench: Bench, program: Runnable, budget: Budget, kept: str = "") -> list[Row | Goal]:
    """One program without huge pages; `kept` is its name for the memory in use at its end, if it tells it."""
    wanted = [
        variant for variant in HugePages(wanted=False).variants(bench) if variant.name in (*COMPARED, POOLS)
    ]
    rounds = bench.race(program, wanted, GLIBC, budget)
    told = [measured_row(program.place, rounds, POOLS, name, kept) for name in COMPARED] if kept else []
    told += control_rows(program.place, rounds, GLIBC, kept) if kept else []
    goal = goal_of(program, rounds)
    return [*_rows(program, rounds), *told, goal.row, goal]


def _peaks(rounds: Rounds, name: str) -> Sequence[float]:
    return [float(run.peak_memory) for run in rounds.of(name)]


def _rows(program: Runnable, rounds: Rounds) -> list[Row]:
    pairs = [(POOLS, name) for name in COMPARED] + [(again(GLIBC), GLIBC)]
    return [
        row(
            program.place,
            name,
            baseline,
            METRIC,
            median_ratio(_peaks(rounds, name), _peaks(rounds, baseline)),
            runs=len(rounds),
            races=rounds.races,
        )
        for name, baseline in pairs
        if rounds.runs.get(name)
    ]


def goal_of(program: Runnable, rounds: Rounds) -> Goal:
    peaks = _peaks(rounds, POOLS)
    return against_limit(program.place, POOLS, METRIC, peaks, allowed(rounds), rounds.races)


def allowed(rounds: Rounds) -> float:
    """Bytes that the peak may have."""
    return PEAK * max(rounds.peak_memory(name) for name in COMPARED) + ALLOWANCE
