"""Figure 5: programs of Olden, compiled in every way."""

from collections.abc import Mapping

from malloom.bench.cases import Case
from malloom.bench.findings import reliable
from malloom.bench.gathered import Races
from malloom.bench.general import BEST
from malloom.bench.goals import Goal, against_limit
from malloom.bench.means import mean_of_programs
from malloom.bench.splitting.comparing import (
    best_other,
    goal_against_better,
    ours_against_best,
    race,
    rows_against,
)
from malloom.bench.splitting.compilers import BASELINE, DEFAULT, LTO, OURS, POOL
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Place, Row

MEAN, NO_SLOWER = 0.90, 1.01
PEAK, ALLOWANCE = 1.10, 1 << 20
"""Of the peak of clang -O3 -flto, and bytes beside it."""
PEAK_MEMORY = "peak_memory"


def olden_rows(bench: Bench, case: Case, budget: Budget, allocators: bool, races: Races) -> list[Row | Goal]:
    """One program: its whole CPU time, and its peak memory."""
    raced = race(bench, case, budget, baseline=LTO, metric="cpu_time", allocators=allocators)
    rounds = raced.rounds
    races[case.place] = rounds
    return [
        *rows_against(case, rounds, LTO, "cpu_time"),
        *raced.others,
        *rows_against(case, rounds, BASELINE, "cpu_time"),
        *ours_against_best(case, rounds, "cpu_time"),
        *goal_against_better(case, rounds, DEFAULT, (LTO, POOL), "cpu_time", NO_SLOWER),
        *peak_goal(case, rounds),
    ]


def peak_goal(case: Case, rounds: Rounds) -> list[Goal]:
    if not rounds.runs.get(DEFAULT):
        return []
    peaks = [float(run.peak_memory) for run in rounds.of(DEFAULT)]
    allowed = PEAK * rounds.peak_memory(LTO) + ALLOWANCE
    return [against_limit(case.place, DEFAULT, PEAK_MEMORY, peaks, allowed, rounds.races)]


def mean_goals(races: Mapping[Place, Rounds]) -> list[Row | Goal]:
    """Over programs, of which those with two sizes count once, in races with reliable controls: against clang
    -O3 -flto, for which the default policy is held, and against the best of all others."""
    there = reliable(races, LTO, "cpu_time")
    of = f"of {len({program for program, _ in races})} programs"
    against_lto = {place: (rounds, LTO) for place, rounds in there.items()}
    against_best = {place: (rounds, best_other(rounds, "cpu_time")) for place, rounds in there.items()}
    rows: list[Row | Goal] = []
    for name in OURS:
        means = mean_of_programs(against_lto, of, name, LTO)
        rows += [Goal(row, MEAN) for row in means] if name == DEFAULT else means
        rows += mean_of_programs(against_best, of, name, BEST)
    return rows
