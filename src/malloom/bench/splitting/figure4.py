"""Figure 4: small structures that are gone through, one kind of structure and of access at a time."""

from malloom.bench.cases import Case
from malloom.bench.goals import Goal
from malloom.bench.splitting.comparing import (
    goal_against_better,
    ours_against_best,
    ours_against_lto,
    race,
    rows_against,
)
from malloom.bench.splitting.compilers import BASELINE, DEFAULT, LTO
from malloom.bench.splitting.programs import WALK_TIME
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row

ONE_FIELD, NO_SLOWER = 0.6, 1.01
"""Limits of walks that read one field, and of all others."""


def structure_rows(bench: Bench, case: Case, budget: Budget, allocators: bool) -> list[Row | Goal]:
    """One structure and walk. The default policy is held against the better of clang -O3 and with -flto."""
    raced = race(bench, case, budget, baseline=BASELINE, metric=WALK_TIME, allocators=allocators)
    rounds = raced.rounds
    limit = ONE_FIELD if case.arguments[0] == "one" else NO_SLOWER
    return [
        *rows_against(case, rounds, BASELINE, WALK_TIME),
        *ours_against_lto(case, rounds, WALK_TIME),
        *raced.others,
        *ours_against_best(case, rounds, WALK_TIME),
        *goal_against_better(case, rounds, DEFAULT, (BASELINE, LTO), WALK_TIME, limit),
    ]
