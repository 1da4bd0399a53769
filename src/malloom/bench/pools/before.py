"""The build at hand against a former one: programs' whole times, and pairs of malloc and free."""

from collections.abc import Mapping, Sequence

from malloom.bench.dynamic.pairs import PHASE, POOL_HEAP, Work
from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal, Of
from malloom.bench.pools.builds import BEFORE, UNCHECKED, Build, Builds
from malloom.bench.pools.means import Races, mean_row
from malloom.bench.pools.programs import Program
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.process import Command
from malloom.measure.rows import Row

PAIRS = ("pairs", "pool_pairs")
"""The workloads: through malloc, and with the heap called directly."""
MEAN_LIMIT, EACH_LIMIT = 1.02, 1.03
"""Of the mean's high end, and of any row's low end."""


def program_rows(
    bench: Bench, program: Program, builds: Builds, budget: Budget, races: Races
) -> list[Row | Goal]:
    """One program with the pools of both builds."""
    bench.say(f"measuring {program}: {BEFORE}, {POOLS}")
    command = program.command(bench)
    commands = {
        BEFORE: command.with_environment(builds.of(bench, BEFORE).pooled()),
        POOLS: command.with_environment(variants.pooled()),
    }
    rounds = run_interleaved(commands, BEFORE, budget, progress=bench.progress)
    races[program.place] = rounds
    measured_now = measured_row(program.place, rounds, POOLS, BEFORE, "cpu_time")
    return [measured_now, Goal(measured_now, EACH_LIMIT, Of.LOW)]


def mean_goals(bench: Bench, races: Races) -> list[Row | Goal]:
    """Over all programs, the start-up among them."""
    del bench
    return [Goal(mean, MEAN_LIMIT, Of.HIGH) for mean in mean_row(races, "programs", POOLS, BEFORE)]


def pairs_rows(
    bench: Bench, works: Sequence[Work], builds: Builds, budget: Budget, races: Races
) -> list[Row | Goal]:
    """One pattern at all sizes, through malloc and with the heap called directly. Held is the build without
    checks, as the former one had none; of the sizes the worst."""
    there = builds.there(bench, BEFORE, UNCHECKED)
    if BEFORE not in there:
        return []
    rows = [each for work in works for each in _pairs_of(bench, work, there, budget, races)]
    held = [[each for each in rows if (each.workload, each.variant) == (name, UNCHECKED)] for name in PAIRS]
    worst = [max(found, key=lambda each: each.low) for found in held if found]
    return [*rows, *(Goal(each, EACH_LIMIT, Of.LOW) for each in worst)]


def _pairs_of(
    bench: Bench, work: Work, there: Mapping[str, Build], budget: Budget, races: Races
) -> list[Row]:
    rows = []
    for workload, commands in _commands(bench, work, there).items():
        bench.say(f"measuring {workload}, {work.case().input}: {', '.join(commands)}")
        rounds = run_interleaved(
            commands, BEFORE, budget, PHASE, progress=bench.progress, failed=bench.failed
        )
        place = (workload, work.case().input)
        races[place] = rounds
        names = [name for name in commands if name != BEFORE and rounds.runs.get(name)]
        rows += [measured_row(place, rounds, name, BEFORE, PHASE) for name in names]
    return rows


def _commands(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, dict[str, Command]]:
    """By workload: through malloc the run times change, directly the program itself does."""
    through = work.case().command(bench.workloads)
    directly = work.case(workload="pool_pairs")
    environments = {name: build.pooled() for name, build in there.items()} | {POOLS: variants.pooled()}
    return {
        PAIRS[0]: {name: through.with_environment(added) for name, added in environments.items()},
        PAIRS[1]: {name: directly.command(build.workloads) for name, build in there.items()}
        | {POOL_HEAP: directly.command(bench.workloads)},
    }


def pairs_goals(bench: Bench, races: Races) -> list[Row | Goal]:
    """The mean over all patterns and sizes, for each of the two workloads."""
    del bench
    means = []
    for workload in PAIRS:
        of_it = {place: rounds for place, rounds in races.items() if place[0] == workload}
        means += mean_row(of_it, f"patterns and sizes of {workload}", UNCHECKED, BEFORE, PHASE)
    return [Goal(mean, MEAN_LIMIT, Of.HIGH) for mean in means]
