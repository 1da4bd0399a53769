"""CPU time with pools against the better of the general allocators, all with huge pages or all without."""

from malloom.bench.cases import Runnable
from malloom.bench.general import best_of
from malloom.bench.goals import Goal, Of
from malloom.bench.pools.allocators import HugePages
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Place, Row, control_rows, measured_row, row

AGAINST_BETTER = 1.05
"""Of the low end against the better one."""


def time_rows(bench: Bench, program: Runnable, pages: HugePages, budget: Budget) -> list[Row | Goal]:
    baseline = pages.general_names[0]
    rounds = bench.race(program, pages.variants(bench), baseline, budget)
    place = program.place
    there = [name for name in pages.general_names if rounds.runs.get(name)]
    against = [measured_row(place, rounds, pages.pools, name, "cpu_time") for name in there]
    goal = goal_of(place, rounds, pages)
    return [*control_rows(place, rounds, baseline), *against, goal.row, goal]


def goal_of(place: Place, rounds: Rounds, pages: HugePages) -> Goal:
    """The better one is that with the smaller median."""
    better = best_of(rounds, pages.general_names)
    interval, peak = rounds.ratio(pages.pools, better), rounds.peak_ratio(pages.pools, better)
    named = pages.named("best")
    against = row(place, pages.pools, named, "cpu_time", interval, runs=len(rounds), peak=peak)
    return Goal(against, AGAINST_BETTER, Of.LOW)
