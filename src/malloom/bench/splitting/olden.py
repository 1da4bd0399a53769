"""Figure 5: programs of Olden, compiled in every way."""

from malloom.bench.cases import Case
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal, against_limit
from malloom.bench.means import mean_row
from malloom.bench.splitting.comparing import goal_against_better, ours_against_best, race, rows_against
from malloom.bench.splitting.compilers import BASELINE, DEFAULT, LTO, OURS, POOL
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Row

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


def mean_goals(races: Races) -> list[Row | Goal]:
    """Over all programs and sizes; the default policy is the one that is held."""
    means = {name: mean_row(races, "programs and sizes", name, LTO) for name in OURS}
    others = [row for name, rows in means.items() if name != DEFAULT for row in rows]
    return [*others, *(Goal(row, MEAN) for row in means[DEFAULT])]
