"""Figure 4: small structures that are gone through, one kind of structure and of access at a time."""

from collections.abc import Mapping

from malloom.bench.cases import Case
from malloom.bench.findings import reliable
from malloom.bench.gathered import Races
from malloom.bench.general import BEST
from malloom.bench.goals import Goal
from malloom.bench.means import mean_row_against
from malloom.bench.splitting.comparing import (
    best_other,
    goal_against_better,
    ours_against_best,
    ours_against_lto,
    race,
    rows_against,
)
from malloom.bench.splitting.compilers import BASELINE, DEFAULT, LTO, OURS
from malloom.bench.splitting.programs import WALK_TIME
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Place, Row

ONE_FIELD, NO_SLOWER = 0.6, 1.01
"""Limits of walks that read one field, and of all others."""


def structure_rows(
    bench: Bench, case: Case, budget: Budget, allocators: bool, races: Races
) -> list[Row | Goal]:
    """One structure and walk. The default policy is held against the better of clang -O3 and with -flto."""
    raced = race(bench, case, budget, baseline=BASELINE, metric=WALK_TIME, allocators=allocators)
    rounds = raced.rounds
    races[case.place] = rounds
    limit = ONE_FIELD if case.arguments[0] == "one" else NO_SLOWER
    return [
        *rows_against(case, rounds, BASELINE, WALK_TIME),
        *ours_against_lto(case, rounds, WALK_TIME),
        *raced.others,
        *ours_against_best(case, rounds, WALK_TIME),
        *goal_against_better(case, rounds, DEFAULT, (BASELINE, LTO), WALK_TIME, limit),
    ]


def mean_rows(races: Mapping[Place, Rounds]) -> list[Row]:
    """Over the structures and orders of each kind of walk and size, in races with reliable controls."""
    there = reliable(races, BASELINE, WALK_TIME)
    rows: list[Row] = []
    for kind in dict.fromkeys(map(_kind, races)):
        found = [rounds for place, rounds in there.items() if _kind(place) == kind]
        of = f"of {sum(_kind(place) == kind for place in races)} with {kind}"
        against_best = [(rounds, best_other(rounds, WALK_TIME)) for rounds in found]
        for name in OURS:
            rows += mean_row_against([(each, BASELINE) for each in found], of, name, BASELINE, WALK_TIME)
            rows += mean_row_against(against_best, of, name, BEST, WALK_TIME)
    return rows


def _kind(place: Place) -> str:
    """The walk and the size; between them an input has the order."""
    walk, _, size = place[1].split()
    return f"{walk} {size}"
