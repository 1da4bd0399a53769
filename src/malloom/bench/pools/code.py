"""What a pair of allocation and free is made of: instructions, forwarded loads, simulated cycles."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.pairs import POOL_HEAP, Work
from malloom.bench.goals import Goal
from malloom.bench.pools.builds import BEFORE, UNCHECKED, Build, Builds
from malloom.bench.pools.hot_path import for_simulation, hot_path, returns_what_it_changed
from malloom.bench.pools.simulation import PROCESSORS, cycles
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Row, row

PAIR = "a pair"
"""The baseline of a number for each pair: ratio = number / 1."""
INSTRUCTIONS, FORWARDED, EXCHANGES = "instructions", "forwarded_loads", "value_returning_changes"


def counted_rows(
    bench: Bench, work: Work, builds: Builds, metric: str, count: Callable[[Command], int]
) -> list[Row]:
    """What the count says of a pair with every allocator, the workload's own loop included."""
    rows = []
    there = builds.there(bench, UNCHECKED, BEFORE)
    once, twice = (_commands(bench, each, there) for each in (work, replace(work, pairs=2 * work.pairs)))
    for name in once:
        bench.say(f"counting {metric} of a pair, {work.case().input}: {name}")
        try:
            found = exact(for_each(work.pairs, count(once[name]), count(twice[name])))
            rows.append(row(work.case().place, name, PAIR, metric, found))
        except CommandError as error:
            bench.failed(name, error)
    return rows


def for_each(pairs: int, once: int, twice: int) -> float:
    """Of a pair, from the counts of a run and of one with twice the pairs: so the start falls out."""
    return (twice - once) / pairs


def _commands(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, Command]:
    """The general allocators through malloc, and the pool heap of every build called directly."""
    general = ways.commands_of(bench, work.case().command(bench.workloads), [ways.native(), *ways.peers()])
    return {**general, **_directly(bench, work, there)}


def _directly(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, Command]:
    case = work.case(workload="pool_pairs")
    others = {name: case.command(build.workloads) for name, build in there.items()}
    return {POOL_HEAP: case.command(bench.workloads), **others}


def hot_path_rows(bench: Bench, work: Work, builds: Builds) -> list[Row | Goal]:
    """The pair's instructions one after the other, as models of processors of two vendors see them. Held is
    that none changes memory and gives back what was there."""
    rows: list[Row] = []
    there = builds.there(bench, UNCHECKED, BEFORE)
    for name, command in _directly(bench, work, there).items():
        bench.say(f"simulating a pair, {work.case().input}: {name}")
        try:
            way = hot_path(command, work.pairs)
            found = {f"cycles {model}": cycles(for_simulation(way), model) for model in PROCESSORS}
            found[EXCHANGES] = float(sum(map(returns_what_it_changed, way)))
        except CommandError as error:
            bench.failed(name, error)
            continue
        rows += [row(work.case().place, name, PAIR, metric, exact(each)) for metric, each in found.items()]
    held = [each for each in rows if (each.variant, each.metric) == (POOL_HEAP, EXCHANGES)]
    return [*rows, *(Goal(each, 0.0) for each in held)]
