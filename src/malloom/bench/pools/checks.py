"""What the checks of misuse cost: the build at hand against the one without them."""

from collections.abc import Sequence
from dataclasses import replace

from malloom.bench.builds import UNCHECKED, Builds
from malloom.bench.cases import Runnable
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal
from malloom.bench.malloc_free import DIRECTLY, POOL_HEAP, TIME, Work
from malloom.bench.means import mean_row
from malloom.bench.pools.code import for_each
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Row, row, rows_of
from malloom.measure.valgrind import count_instructions
from malloom.measure.variants import POOLS, pools

INSTRUCTIONS_LIMIT, OBJECT_LIMIT, PROGRAMS_LIMIT = 12.0, 1.12, 1.01
ADDED = "instructions_added"
"""ratio = the difference, in instructions for each object."""


def _commands(bench: Bench, work: Work, builds: Builds) -> dict[str, Command]:
    case = work.case(workload=DIRECTLY)
    without = builds.of(bench, UNCHECKED).program(UNCHECKED)
    return {**bench.commands_of(case, [without]), POOL_HEAP: case.command(bench)}


def instruction_goals(bench: Bench, work: Work, builds: Builds) -> list[Row | Goal]:
    """How many instructions of an allocation and its free the checks are."""
    what = f"instructions, {work.case().input}"
    once, twice = (
        bench.counted(what, _commands(bench, each, builds), count_instructions)
        for each in (work, replace(work, objects=2 * work.objects))
    )
    counts = {name: for_each(work.objects, once[name], twice[name]) for name in once}
    added = exact(counts[POOL_HEAP] - counts[UNCHECKED])
    found = row(work.case(workload=DIRECTLY).place, POOL_HEAP, UNCHECKED, ADDED, added)
    return [found, Goal(found, INSTRUCTIONS_LIMIT)]


def time_goals(bench: Bench, works: Sequence[Work], builds: Builds, budget: Budget) -> list[Row | Goal]:
    """A pattern at all sizes, of which the worst is held."""
    rows = []
    for work in works:
        case = work.case(workload=DIRECTLY)
        rounds = bench.race_of(str(case), _commands(bench, work, builds), UNCHECKED, budget, TIME)
        rows += rows_of(case.place, rounds, UNCHECKED, (TIME,))
    ours = [each for each in rows if each.variant == POOL_HEAP]
    return [*rows, Goal(max(ours, key=lambda each: each.ratio), OBJECT_LIMIT)]


def program_rows(bench: Bench, program: Runnable, builds: Builds, budget: Budget, races: Races) -> list[Row]:
    unchecked = builds.of(bench, UNCHECKED).pools(UNCHECKED)
    rounds = bench.race(program, [unchecked, pools()], UNCHECKED, budget)
    races[program.place] = rounds
    return rows_of(program.place, rounds, UNCHECKED, ("cpu_time",))


def mean_goals(races: Races) -> list[Row | Goal]:
    """Over the programs."""
    return [Goal(mean, PROGRAMS_LIMIT) for mean in mean_row(races, "programs", POOLS, UNCHECKED)]
