"""CPU time with pools against the better of the general allocators, all with huge pages or all without."""

from malloom.bench.cases import Runnable
from malloom.bench.general import BEST, row_against_best
from malloom.bench.goals import Goal, Of
from malloom.bench.pools.allocators import HugePages
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Place, Row, control_rows, measured_row

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
    names, called = pages.general_names, pages.named(BEST)
    return Goal(row_against_best(place, rounds, pages.pools, names, called=called), AGAINST_BETTER, Of.LOW)
