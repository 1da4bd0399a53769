"""What an allocation and its free are made of: instructions, forwarded loads, simulated cycles."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from malloom.bench.builds import BEFORE, UNCHECKED, Build, Builds
from malloom.bench.general import general_variants
from malloom.bench.goals import Goal
from malloom.bench.malloc_free import DIRECTLY, POOL_HEAP, Work
from malloom.bench.pools.hot_path import for_simulation, hot_path, returns_what_it_changed
from malloom.bench.pools.simulation import PROCESSORS, cycles
from malloom.bench.steps import Bench
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Row, row

ONE = "one object"
"""The baseline of a number for each object that is made and freed: ratio = number / 1."""
INSTRUCTIONS, FORWARDED, EXCHANGES = "instructions", "forwarded_loads", "value_returning_changes"


def counted_rows(
    bench: Bench, work: Work, builds: Builds, metric: str, count: Callable[[Command], int]
) -> list[Row]:
    """What the count says of one object with every allocator, the workload's own loop included."""
    there = builds.there(bench, UNCHECKED, BEFORE)
    once, twice = (
        bench.counted(f"{metric}, {work.case().input}", _commands(bench, each, there), count)
        for each in (work, replace(work, objects=2 * work.objects))
    )
    return [
        row(work.case().place, name, ONE, metric, exact(for_each(work.objects, once[name], twice[name])))
        for name in once
        if name in twice
    ]


def for_each(objects: int, once: int, twice: int) -> float:
    """Of one object, from the counts of a run and of one with twice the objects: so the start falls out."""
    return (twice - once) / objects


def _commands(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, Command]:
    """The general allocators through malloc, and the pool heap of every build called directly."""
    through = bench.commands_of(work.case(), general_variants(bench))
    return {**through, **_directly(bench, work, there)}


def _directly(bench: Bench, work: Work, there: Mapping[str, Build]) -> dict[str, Command]:
    case = work.case(workload=DIRECTLY)
    others = [build.program(name) for name, build in there.items()]
    return {POOL_HEAP: case.command(bench), **bench.commands_of(case, others)}


def hot_path_rows(bench: Bench, work: Work, builds: Builds) -> list[Row | Goal]:
    """The instructions one after the other, as models of processors of two vendors see them. Held is that
    none changes memory and gives back what was there."""
    there = builds.there(bench, UNCHECKED, BEFORE)
    what = f"simulated cycles, {work.case().input}"

    def simulated(command: Command) -> dict[str, float]:
        path = hot_path(command, work.objects)
        found = {f"cycles {model}": cycles(for_simulation(path), model) for model in PROCESSORS}
        return {**found, EXCHANGES: float(sum(map(returns_what_it_changed, path)))}

    counts = bench.counted(what, _directly(bench, work, there), simulated)
    rows = [
        row(work.case().place, name, ONE, metric, exact(number))
        for name, numbers in counts.items()
        for metric, number in numbers.items()
    ]
    held = [each for each in rows if (each.variant, each.metric) == (POOL_HEAP, EXCHANGES)]
    return [*rows, *(Goal(each, 0.0) for each in held)]
