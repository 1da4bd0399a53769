"""The suite bins: the bin heap on the simulated core, as Lhuillier and Courousse measure theirs."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from malloom.bench.bins import (
    automatic,
    bin_use,
    cores,
    counting,
    figure5,
    figure8,
    functions,
    guests,
    others,
    traces,
    ways,
    where,
)
from malloom.bench.bins.guest_machines import RV32, RV64
from malloom.bench.bins.guest_traces import GUESTS
from malloom.bench.bins.inputs import JUDGED_SEED, LEARNED_SEED, Room, most_heap_bytes
from malloom.bench.bins.pictures import pictures
from malloom.bench.bins.replays import Graphs
from malloom.bench.bins.scale import BinsScale, full_scale, quick_scale
from malloom.bench.bins.simulator import DEFAULT_FOLDER, Simulator, disk_of_data, memory_of
from malloom.bench.bins.tables import tables
from malloom.bench.bins.tasks import Cores
from malloom.bench.gathered import Gathered
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite

PARTS = {
    "figure5": "cycles of a bin function: original, searched, generated",
    "figure6-7": "bin use before and after a rehash",
    "figure8-paper": "the paper's heap after each rehash, over random task graphs",
    "figure8-raced": "the same where a race chooses ranges and number of bins on what is learned from",
    "figure8-shipped": "the shipped heap after each rehash, against itself with the original bins",
    "ways": "what the instance as an argument and the function behind a pointer cost",
    "where": "where the cycles of a pair go, before and after rehashes",
    "cores": "task graphs on several cores: a heap for each, against one with a lock",
    "automatic": "rehash behind malloc and free, against rehash that is called after each run",
    "counters": "what each kind of counter costs",
    "counting": "what a rehash goes by: every insertion, one of some, or a walk through the heap",
    "functions": "ranges of bins crossed with functions to them",
    "guests": "allocators made for recorded guests, beside bump pointers, TLSF and those of Rust",
    "others": "the shipped heap, bounded and not, beside TLSF, o1heap, newlib's and picolibc's",
    "traces": "the same over the requests of real programs, with quick lists and without",
}
SECONDS_A_RUN = 0.1
"""Of a graph on the simulated core: a guess for the first estimate only."""
GRAPHS_A_STEP = 100
"""Of figure 8, so that a step takes some minutes. The first hundred lie all over the grid."""
TASK_GRAPHS_A_STEP = 4
"""Of those that run on several cores."""
MEMORY_OF_A_TRACE = 64 << 20
"""Bytes of a heap that takes the requests of a real program, at most: a guess."""
MEMORY_OF_A_GUEST = 1 << 30
"""Bytes of building Rust's library for a processor, and of replaying its requests, at most: a guess."""


def prepare(
    quick: bool,
    latency: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            metavar="CYCLES",
            help="Until memory answers; may be repeated. Default: 4 and 20, with --quick 4.",
            show_default=False,
        ),
    ] = None,
    graphs: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many graphs of the workload. Default: 1000, with --quick 2.", show_default=False
        ),
    ] = None,
    firmware: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where 'make firmware' put the simulator and programs.")
    ] = DEFAULT_FOLDER,
) -> Prepared:
    """The suite with what was chosen."""
    scale = (quick_scale if quick else full_scale)(latency or (), graphs)
    simulators = [Simulator(firmware, each) for each in scale.latencies]
    makers: dict[str, Callable[[BinsScale, Sequence[Simulator]], list[Step]]] = {
        "figure5": _figure5,
        "figure6-7": _figure6_7,
        "figure8-paper": _figure8_paper,
        "figure8-raced": _figure8_raced,
        "figure8-shipped": _figure8_shipped,
        "ways": _ways,
        "where": _where,
        "cores": _cores,
        "automatic": _automatic,
        "counters": _counters,
        "counting": _counting,
        "functions": _functions,
        "guests": _guests,
        "others": _others,
        "traces": _traces,
    }
    judged = "the goals" if scale.judges else "nothing: --quick has few graphs"
    facts = [
        ("cycles", "of VexRiscv (RV32IM, caches of 4 KiB) simulated cycle by cycle: the same in every run"),
        ("graphs", f"{scale.graphs}; judged on seed {JUDGED_SEED}, learned on seed {LEARNED_SEED}"),
        ("what it judges", judged),
    ]
    steps = {part: partial(make, scale, simulators) for part, make in makers.items()}
    check = partial(_check, simulators[0])
    return Prepared(steps, tables(), 0, facts, check=check, pictures=pictures())


def _check(simulator: Simulator, _workloads: Path) -> None:
    simulator.check()


def _step(
    part: str,
    what: str,
    measure: Callable[[Bench], Found],
    seconds: float,
    heap_bytes: int,
    gathers: Gathered[Any] | None = None,
) -> Step:
    """One whose programs, as many as there are processors, have heaps of so many bytes."""
    memory, disk = memory_of(heap_bytes), disk_of_data()
    return Step(part, what, measure, seconds, memory=memory, disk=disk, gathers=gathers)


def _figure5(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(simulator: Simulator, flushes: bool) -> Step:
        cache = "empty" if flushes else "hot"
        measure = partial(figure5.call_rows, simulator=simulator, scale=scale, flushes=flushes)
        what, seconds = f"{cache} cache, {simulator.place}", 150.0 if flushes else 30.0
        return _step("figure5", what, measure, seconds, figure5.HEAP_BYTES)

    return [step(simulator, flushes) for simulator in simulators for flushes in (False, True)]


def _figure6_7(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    return [
        _step(
            "figure6-7",
            simulator.place,
            partial(bin_use.use_rows, simulator=simulator, pairs=scale.pairs),
            20.0,
            bin_use.most_heap_bytes(scale.pairs),
        )
        for simulator in simulators
    ]


def _figure8_paper(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Learned on another graph, then as in the paper on what it is judged by."""
    return _figure8("figure8-paper", figure8.PAPERS, scale, _all_graphs(scale, simulators))


def _figure8_raced(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Learned on another graph alone."""
    graphs = [each for each in _all_graphs(scale, simulators) if each.learns_elsewhere]
    return _figure8("figure8-raced", figure8.RACED, scale, graphs)


def _figure8_shipped(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    graphs = [each for each in _all_graphs(scale, simulators) if each.learns_elsewhere]
    return _figure8("figure8-shipped", figure8.SHIPPED, scale, graphs)


def _figure8(part: str, heap: figure8.Heap, scale: BinsScale, all_graphs: Sequence[Graphs]) -> list[Step]:
    """The first graphs in every heap, then the next: where time ends, all rows are of about as many."""
    replays, rehashes = figure8.Replays(), scale.rehashes

    def step(graphs: Graphs) -> Step:
        measure = partial(figure8.replay_graphs, graphs=graphs, heap=heap, rehashes=rehashes, replays=replays)
        runs = graphs.count * (rehashes + 1) * (2 if graphs.learns_elsewhere else 1)
        runs += graphs.count * 4 * len(figure8.NUMBERS) if heap.is_raced else 0
        what, heap_bytes = f"{graphs.name}, {graphs.numbers}", most_heap_bytes(graphs.room)
        return _step(part, what, measure, SECONDS_A_RUN * runs, heap_bytes, replays)

    def rows(graphs: Graphs) -> Step:
        compute = partial(figure8.figure8_rows, replays, graphs, heap, rehashes, scale.judges)
        return conclusion(part, graphs.name, compute)

    in_turn = zip(*(graphs.parts(GRAPHS_A_STEP) for graphs in all_graphs), strict=True)
    return [*(step(graphs) for graphs in chain.from_iterable(in_turn)), *map(rows, all_graphs)]


def _all_graphs(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Graphs]:
    return [
        Graphs(simulator, room, scale.graphs, learns_elsewhere)
        for learns_elsewhere in (True, False)
        for room in scale.rooms
        for simulator in simulators
    ]


def _ways(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(graphs: Graphs) -> Step:
        return _of_graphs("ways", graphs, partial(ways.way_rows, graphs=graphs), 6 * graphs.count)

    return [step(each) for each in _few_graphs(scale, simulators)]


def _where(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Learned on another graph, over a few of the grid."""

    def step(graphs: Graphs, state: where.State) -> Step:
        measure = partial(where.where_rows, graphs=graphs, state=state)
        what, runs = f"{state.name}, {graphs.name}", graphs.count * (4 * state.rehashes + 5)
        return _step("where", what, measure, SECONDS_A_RUN * runs, most_heap_bytes(graphs.room))

    count = min(scale.graphs, scale.of_where)
    all_graphs = [Graphs(each, room, count) for room in scale.rooms for each in simulators]
    return [step(graphs, state) for graphs in all_graphs for state in where.STATES]


def _cores(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """The memory that the cores share is as far from them as their own. The first graphs on all of them, then
    the next."""
    found = cores.TaskRuns()
    all_given = [
        cores.Given(simulator, Cores(count, simulator.latency, banks), work)
        for simulator in simulators
        for count, banks, work in scale.cores
    ]

    def step(given: cores.Given, first: int) -> Step:
        graphs = min(TASK_GRAPHS_A_STEP, scale.of_cores - first)
        measure = partial(cores.run_graphs, given=given, first=first, count=graphs, found=found)
        seconds = SECONDS_A_RUN * len(cores.HEAPS) * graphs * given.cores.count
        what = f"{given.name}, graphs {first + 1} to {first + graphs}"
        return _step("cores", what, measure, seconds, most_heap_bytes(Room.TWICE), found)

    steps = [
        step(given, first) for first in range(0, scale.of_cores, TASK_GRAPHS_A_STEP) for given in all_given
    ]
    rows = [
        conclusion("cores", given.name, partial(cores.core_rows, found, given, scale.judges))
        for given in all_given
    ]
    return [*steps, *rows]


def _automatic(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(graphs: Graphs) -> Step:
        runs = graphs.count * automatic.RUNS * 4
        measure = partial(automatic.automatic_rows, graphs=graphs, judges=scale.judges)
        return _of_graphs("automatic", graphs, measure, runs)

    return [step(each) for each in _few_graphs(scale, simulators)]


def _counters(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(graphs: Graphs) -> Step:
        runs = graphs.count * automatic.COUNTED * 2
        return _of_graphs("counters", graphs, partial(automatic.counter_rows, graphs=graphs), runs)

    return [step(each) for each in _few_graphs(scale, simulators)]


def _counting(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Learned on another graph."""

    def step(graphs: Graphs, heap: figure8.Heap) -> Step:
        runs = graphs.count * (40 if heap.is_raced else 50)
        measure = partial(counting.counting_rows, graphs=graphs, heap=heap)
        what, room = f"{heap.name}, {graphs.name}", most_heap_bytes(graphs.room)
        return _step("counting", what, measure, SECONDS_A_RUN * runs, room)

    all_graphs = [Graphs(each, room, scale.of_functions) for room in scale.rooms for each in simulators]
    return [step(graphs, heap) for graphs in all_graphs for heap in counting.HEAPS]


def _of_graphs(part: str, graphs: Graphs, measure: Callable[[Bench], Found], runs: int) -> Step:
    return _step(part, graphs.name, measure, SECONDS_A_RUN * runs, most_heap_bytes(graphs.room))


def _few_graphs(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Graphs]:
    """In heaps of twice the peak, with nothing learned beforehand."""
    return [Graphs(each, scale.rooms[0], scale.of_functions, learns_elsewhere=False) for each in simulators]


def _functions(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(graphs: Graphs) -> Step:
        runs = scale.of_functions * len(functions.COMBINATIONS) * 4
        measure = partial(functions.combination_rows, graphs=graphs)
        return _of_graphs("functions", graphs, measure, runs)

    room = scale.rooms[0]
    return [step(Graphs(simulator, room, scale.of_functions)) for simulator in simulators]


def _others(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    def step(graphs: Graphs) -> Step:
        measure = partial(others.other_rows, graphs=graphs, judges=scale.judges)
        return _of_graphs("others", graphs, measure, 8 * graphs.count)

    return [step(each) for each in _few_graphs(scale, simulators)]


def _guests(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Of the first guest alone, and without Rust for RISC-V, where nothing is judged."""
    chosen = GUESTS if scale.judges else GUESTS[:1]
    machines = (RV32, RV64) if scale.judges else (RV32,)
    allocators = guests.ALLOCATORS if scale.judges else guests.WITHOUT_RUST
    counts = guests.Counts()
    folder = simulators[0].folder
    steps = [
        Step(
            "guests",
            f"{guest.name}, {machine.name}",
            partial(
                guests.guest_rows,
                guest=guest,
                machine=machine,
                firmware=folder,
                allocators=allocators,
                counts=counts,
            ),
            60.0,
            memory=MEMORY_OF_A_GUEST,
            gathers=counts,
        )
        for guest in chosen
        for machine in machines
    ]
    goals = [
        conclusion("guests", f"goals, {each.name}", partial(guests.goal_rows, counts, each))
        for each in machines
        if scale.judges
    ]
    return [*steps, *goals]


def _traces(scale: BinsScale, simulators: Sequence[Simulator]) -> list[Step]:
    """Of the first program alone where nothing is judged."""
    root = simulators[0].folder.resolve().parent.parent
    programs = traces.recorded_programs(root)
    found = traces.TraceRuns()

    def step(program: traces.Recorded, simulator: Simulator) -> Step:
        measure = partial(traces.trace_rows, program=program, simulator=simulator, found=found)
        what = f"{program.name}, {simulator.place}"
        return _step("traces", what, measure, 40.0, MEMORY_OF_A_TRACE, found)

    chosen = programs if scale.judges else programs[:1]
    steps = [step(program, simulator) for simulator in simulators for program in chosen]
    means = [
        conclusion(
            "traces",
            f"means, {each.place}",
            partial(traces.mean_rows, found, each, scale.judges),
        )
        for each in simulators
    ]
    return [*steps, *means]


SUITE = Suite(
    "Lhuillier and Courousse: a heap whose bin function is generated, on a simulated core",
    PARTS,
    prepare,
    choosing=("latency",),
)
