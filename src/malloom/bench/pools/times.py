"""CPU time with pools against the better of two general allocators, all with huge pages or all without."""

from malloom.bench.goals import Goal, Of
from malloom.bench.pools.allocators import BEST, HugePages, best_of
from malloom.bench.pools.programs import Program
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.rows import Row, row

LIMIT = 1.05
"""Of the low end against the better one."""


def time_rows(bench: Bench, program: Program, pages: HugePages, budget: Budget) -> list[Row | Goal]:
    environments = pages.environments()
    bench.say(f"measuring {program}: {', '.join(environments)}")
    command = program.command(bench)
    commands = {name: command.with_environment(added) for name, added in environments.items()}
    rounds = run_interleaved(commands, pages.general[0], budget, progress=bench.progress)
    place = program.place
    against = [measured_row(place, rounds, pages.pools, name, "cpu_time") for name in pages.general]
    goal = goal_of(place, rounds, pages)
    return [*against, goal.row, goal]


def goal_of(place: tuple[str, str], rounds: Rounds, pages: HugePages) -> Goal:
    """The better one is that with the smaller median."""
    better = best_of(rounds, pages.general)
    against = row(
        place,
        pages.pools,
        pages.named(BEST),
        "cpu_time",
        rounds.ratio(pages.pools, better),
        runs=len(rounds),
        peak=rounds.peak_ratio(pages.pools, better),
    )
    return Goal(against, LIMIT, Of.LOW)
