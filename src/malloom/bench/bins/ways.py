"""What it costs that the instance is an argument of each call, and that its function to a bin is reached by a
pointer in it (Lhuillier and Courousse, 2.3)."""

from collections.abc import Mapping
from itertools import pairwise

from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Replay
from malloom.bench.bins.replays import CYCLES, PAIR, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Run
from malloom.bench.steps import Bench
from malloom.measure.rows import Row

ONE, ARGUMENT, POINTER = "one instance", "instance an argument", "function by pointer"
WAYS: Mapping[str, Allocator] = {
    ONE: Allocator.FIXED,
    ARGUMENT: Allocator.COMPILED_IN,
    POINTER: Allocator.POINTED,
}
MORE = "cycles_more_per_pair"


def way_rows(bench: Bench, graphs: Graphs) -> list[Row]:
    """Dlmalloc's bins each time, and nothing counted; each way against the one before it."""

    def replay(given: Input) -> list[Run]:
        return [
            graphs.simulator.replay(Replay(given.heap_bytes, each, runs=2), given.judged)[-1]
            for each in WAYS.values()
        ]

    found = graphs.replayed(bench, "instance and function", replay)
    place = (f"{graphs.room}, {graphs.simulator.place}", f"{len(found)} graphs")
    by_name = dict(zip(WAYS, zip(*found, strict=True), strict=True))
    pairs = {name: mean([run.pair_cycles for run in runs]) for name, runs in by_name.items()}
    rows = [number_row(place, name, PAIR, cycles, len(found)) for name, cycles in pairs.items()]
    for before, name in pairwise(WAYS):
        ratios = [
            mine.cycles / theirs.cycles for mine, theirs in zip(by_name[name], by_name[before], strict=True)
        ]
        rows.append(Spread.of(ratios).mean_row(place, name, before, CYCLES, len(found)))
        rows.append(number_row(place, name, MORE, pairs[name] - pairs[before], len(found)))
    return rows
