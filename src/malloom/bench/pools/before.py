"""The build at hand against a former one: programs' whole times, and a malloc and its free."""

from collections.abc import Mapping, Sequence

from malloom.bench.builds import BEFORE, UNCHECKED, Build, Builds
from malloom.bench.cases import Runnable
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal, Of
from malloom.bench.malloc_free import DIRECTLY, POOL_HEAP, THROUGH_MALLOC, TIME, Work
from malloom.bench.means import mean_row
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.rows import Row, measured_row, rows_of
from malloom.measure.variants import POOLS, pools

MEAN_LIMIT, EACH_LIMIT = 1.02, 1.03
"""Of the mean's high end, and of any row's low end."""


def program_rows(
    bench: Bench, program: Runnable, builds: Builds, budget: Budget, races: Races
) -> list[Row | Goal]:
    """One program with the pools of both builds."""
    rounds = bench.race(program, [builds.of(bench, BEFORE).pools(BEFORE), pools()], BEFORE, budget)
    races[program.place] = rounds
    rows = rows_of(program.place, rounds, BEFORE, ("cpu_time",))
    return [*rows, *(Goal(row, EACH_LIMIT, Of.LOW) for row in rows if row.variant == POOLS)]


def mean_goals(races: Races) -> list[Row | Goal]:
    """Over all programs, the start-up among them."""
    return [Goal(mean, MEAN_LIMIT, Of.HIGH) for mean in mean_row(races, "programs", POOLS, BEFORE)]


def malloc_free_rows(
    bench: Bench, works: Sequence[Work], builds: Builds, budget: Budget, races: Races
) -> list[Row | Goal]:
    """One pattern at all sizes, through malloc and with the heap called directly. Held is the build without
    checks, as the former one had none; of the sizes the worst."""
    there = builds.there(bench, BEFORE, UNCHECKED)
    if BEFORE not in there:
        return []
    rows = [row for work in works for row in _rows_of(bench, work, there, budget, races)]
    held = [
        [row for row in rows if (row.workload, row.variant) == (workload, UNCHECKED)]
        for workload in (THROUGH_MALLOC, DIRECTLY)
    ]
    worst = [max(found, key=lambda row: row.low or row.ratio) for found in held if found]
    return [*rows, *(Goal(row, EACH_LIMIT, Of.LOW) for row in worst)]


def _rows_of(bench: Bench, work: Work, there: Mapping[str, Build], budget: Budget, races: Races) -> list[Row]:
    rows = []
    for workload, commands in _commands(bench, work, there).items():
        place = (workload, work.case().input)
        rounds = bench.race_of(" ".join(place), commands, BEFORE, budget, TIME)
        races[place] = rounds
        names = [name for name in rounds.runs if name != BEFORE]
        rows += [measured_row(place, rounds, name, BEFORE, TIME) for name in names]
    return rows


def _commands(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, dict[str, Command]]:
    """By workload: through malloc the run times change, directly the program itself does."""
    run_times = [*(build.pools(name) for name, build in there.items()), pools()]
    directly = work.case(workload=DIRECTLY)
    programs = [build.program(name) for name, build in there.items()]
    return {
        THROUGH_MALLOC: bench.commands_of(work.case(), run_times),
        DIRECTLY: {**bench.commands_of(directly, programs), POOL_HEAP: directly.command(bench)},
    }


def malloc_free_goals(races: Races) -> list[Row | Goal]:
    """The mean over all patterns and sizes, for each of the two workloads."""
    means = []
    for workload in (THROUGH_MALLOC, DIRECTLY):
        of_it = {place: rounds for place, rounds in races.items() if place[0] == workload}
        means += mean_row(of_it, f"patterns and sizes of {workload}", UNCHECKED, BEFORE, TIME)
    return [Goal(mean, MEAN_LIMIT, Of.HIGH) for mean in means]
