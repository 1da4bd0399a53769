"""What the checks of misuse cost: the build at hand against the one without them."""

from collections.abc import Sequence
from dataclasses import replace

from malloom.bench.dynamic.pairs import PHASE, POOL_HEAP, Work
from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal
from malloom.bench.pools.builds import UNCHECKED, Builds
from malloom.bench.pools.code import for_each
from malloom.bench.pools.means import Races, mean_row
from malloom.bench.pools.programs import Program
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Row, row
from malloom.measure.valgrind import count_instructions

INSTRUCTIONS_LIMIT, PAIR_LIMIT, PROGRAMS_LIMIT = 12.0, 1.12, 1.01
ADDED = "instructions_added"
"""ratio = the difference, in instructions for each pair."""


def _commands(bench: Bench, work: Work, builds: Builds) -> dict[str, Command]:
    case = work.case(workload="pool_pairs")
    without = builds.of(bench, UNCHECKED).workloads
    return {UNCHECKED: case.command(without), POOL_HEAP: case.command(bench.workloads)}


def instruction_goals(bench: Bench, work: Work, builds: Builds) -> list[Row | Goal]:
    """How many instructions of a pair the checks are."""
    bench.say(f"counting instructions of a pair, {work.case().input}: {UNCHECKED}, {POOL_HEAP}")
    once, twice = (_commands(bench, each, builds) for each in (work, replace(work, pairs=2 * work.pairs)))
    counts = {
        name: for_each(work.pairs, count_instructions(once[name]), count_instructions(twice[name]))
        for name in once
    }
    added = exact(counts[POOL_HEAP] - counts[UNCHECKED])
    found = row(work.case().place, POOL_HEAP, UNCHECKED, ADDED, added)
    return [found, Goal(found, INSTRUCTIONS_LIMIT)]


def pair_goals(bench: Bench, works: Sequence[Work], builds: Builds, budget: Budget) -> list[Row | Goal]:
    """A pattern at all sizes, of which the worst is held."""
    rows = []
    for work in works:
        commands = _commands(bench, work, builds)
        bench.say(f"measuring pairs, {work.case().input}: {', '.join(commands)}")
        rounds = run_interleaved(commands, UNCHECKED, budget, PHASE, progress=bench.progress)
        rows.append(measured_row(work.case().place, rounds, POOL_HEAP, UNCHECKED, PHASE))
    return [*rows, Goal(max(rows, key=lambda each: each.ratio), PAIR_LIMIT)]


def program_rows(bench: Bench, program: Program, builds: Builds, budget: Budget, races: Races) -> list[Row]:
    command = program.command(bench)
    commands = {
        UNCHECKED: command.with_environment(builds.of(bench, UNCHECKED).pooled()),
        POOLS: command.with_environment(variants.pooled()),
    }
    bench.say(f"measuring {program}: {', '.join(commands)}")
    rounds = run_interleaved(commands, UNCHECKED, budget, progress=bench.progress)
    races[program.place] = rounds
    return [measured_row(program.place, rounds, POOLS, UNCHECKED, "cpu_time")]


def mean_goals(bench: Bench, races: Races) -> list[Row | Goal]:
    """Over the programs."""
    del bench
    return [Goal(mean, PROGRAMS_LIMIT) for mean in mean_row(races, "programs", POOLS, UNCHECKED)]
