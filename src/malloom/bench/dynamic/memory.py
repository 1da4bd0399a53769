"""What a program that releases all that it made still has in use."""

from malloom.bench.cases import Case
from malloom.bench.general import general_variants
from malloom.bench.goals import Goal, against_limit
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Row, rows_of
from malloom.measure.variants import GLIBC, POOLS, pools

FULL, EMPTY = "full_bytes", "empty_bytes"
"""Resident memory of the process when all objects live, and when none does."""
LEFT_OVER = 0.1
"""Of what was in use when all objects lived: what may still be when all have gone."""


def memory_rows(bench: Bench, heap_bytes: int, budget: Budget) -> list[Row | Goal]:
    """What is left in use, against the C library's; and pools against what they had."""
    case = Case("release_all", (str(heap_bytes),), EMPTY, f"{heap_bytes / 1e6:.0f} MB")
    rounds = bench.race(case, [*general_variants(bench), pools()], GLIBC, budget, EMPTY)
    return [*rows_of(case.place, rounds, GLIBC, (FULL, EMPTY)), *_goals(case, rounds)]


def _goals(case: Case, rounds: Rounds) -> list[Goal]:
    if not rounds.runs.get(POOLS):
        return []
    allowed = LEFT_OVER * min(rounds.values(POOLS, FULL))
    return [against_limit(case.place, POOLS, EMPTY, rounds.values(POOLS, EMPTY), allowed, rounds.races)]
