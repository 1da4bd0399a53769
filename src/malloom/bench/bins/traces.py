"""Requests of real programs through the bin heap, with quick lists and without, and through other allocators
for embedded systems. What quick lists keep was learned of another run of the program."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malloom.bench.bins.guest_traces import (
    GUESTS,
    JUDGED_SEED,
    LEARNED_SEED,
    Kind,
    Trace,
    built,
    recorded,
    requests_of,
)
from malloom.bench.bins.inputs import Input, in_twice_the_peak
from malloom.bench.bins.operations import MOST_BYTES, Allocator, OperationList, Options, Replay
from malloom.bench.bins.others import BOUNDED, HELD, NEWLIB, PEERS, SHIPPED, TABLES_ROOM, WORST, held, replays
from malloom.bench.bins.quick_lists import QuickLists, chosen
from malloom.bench.bins.replays import CYCLES, PAIR, number_row
from malloom.bench.bins.simulator import Run, Simulator
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal
from malloom.bench.inputs import write_json
from malloom.bench.means import MEAN, mean_of
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

QUICK, QUICK_BOUNDED = "shipped, quick lists", "bounded, quick lists"
OURS = (SHIPPED, BOUNDED, QUICK, QUICK_BOUNDED)
LIMITS = {(QUICK, NEWLIB): 1.0, (QUICK_BOUNDED, NEWLIB): 1.2}
"""Of newlib's cycles, in the geometric mean of the traces."""
MOST_OPERATIONS = 40_000
"""Of a trace: its first ones, so that a replay takes seconds."""
COUNTING = 'while (<>) { $count{$_}++ for split } print "$_ $count{$_}\\n" for sort keys %count'
GROUPING = "group_by(.region) | map({region: .[0].region, total: (map(.items[].price) | add)})"


@dataclass(frozen=True)
class Recorded:
    """A program whose requests are recorded twice, with different work."""

    name: str
    trace: Callable[[Path, bool], Trace]
    """In a folder, of the run that is learned from or the one that is judged."""


def recorded_programs(root: Path) -> Sequence[Recorded]:
    """The guests, and two programs of Debian's. None was chosen by its result."""
    return (
        *(Recorded(guest.name, _guest(guest.name, root)) for guest in GUESTS),
        Recorded("jq", _on_orders(GROUPING, "jq")),
        Recorded("perl", _on_orders(COUNTING, "perl", "-e")),
    )


def _guest(name: str, root: Path) -> Callable[[Path, bool], Trace]:
    guest = next(each for each in GUESTS if each.name == name)

    def trace(folder: Path, is_judged: bool) -> Trace:
        program = built(guest, root / "workloads/guests", folder)
        seed = JUDGED_SEED if is_judged else LEARNED_SEED
        return recorded(guest, program, seed, folder / f"{seed}.profile")

    return trace


def _on_orders(script: str, *program: str) -> Callable[[Path, bool], Trace]:
    """Over a generated document, which is larger where it is judged."""

    def trace(folder: Path, is_judged: bool) -> Trace:
        kilobytes = 160 if is_judged else 60
        document = folder / f"orders-{kilobytes}.json"
        write_json(document, kilobytes << 10)
        return requests_of((*program, script, str(document)), folder / f"{kilobytes}.profile")

    return trace


def operation_list(trace: Trace, most: int = MOST_OPERATIONS) -> OperationList:
    """A resize is a release and a request; what is larger than an operation can say is left out. What lives
    in the end is released."""
    slots: list[int] = []
    changes: list[int] = []
    living: dict[int, int] = {}

    def release(slot: int) -> None:
        if slot in living:
            slots.append(slot)
            changes.append(-living.pop(slot))

    for kind, slot, size in zip(
        *(each[:most].tolist() for each in (trace.kinds, trace.slots, trace.sizes)), strict=True
    ):
        if kind in (Kind.FREE, Kind.RESIZE):
            release(slot)
        if kind != Kind.FREE and size <= MOST_BYTES:
            living[slot] = size
            slots.append(slot)
            changes.append(size)
    for slot in tuple(living):
        release(slot)
    return OperationList(np.asarray(slots), np.asarray(changes))


class TraceRuns(Gathered[dict[str, float]]):
    """Cycles of a pair, of each trace and place, by heap."""

    kind = dict[str, float]


def trace_rows(bench: Bench, program: Recorded, simulator: Simulator, found: TraceRuns) -> Found:
    """Rows of a program's trace in every heap."""
    folder = bench.scratch / "traces" / program.name
    folder.mkdir(parents=True, exist_ok=True)
    learned, judged = (operation_list(program.trace(folder, is_judged)) for is_judged in (False, True))
    lists = chosen(learned)
    given = in_twice_the_peak(judged)
    bench.note(
        f"quick lists for requests of up to {lists.most_bytes} bytes, {lists.most_each} objects of a size"
    )
    runs: dict[str, Run] = {}
    for name, replay in trace_replays(given, lists).items():
        bench.say(f"replaying {program.name}, {judged.pairs} requests: {name}")
        runs[name] = simulator.replay(replay, judged)[0]
    place = (program.name, simulator.place)
    whole = {name: run for name, run in runs.items() if not run.failures}
    for name in runs.keys() - whole.keys():
        bench.failed(name, CommandError(f"{runs[name].failures} requests found no room"))
    found[place] = {name: run.pair_cycles for name, run in whole.items()}
    return rows_of(place, whole, judged.peak)


def trace_replays(given: Input, lists: QuickLists) -> Mapping[str, Replay]:
    """Those of `others`, and quick lists before the bin heap."""
    room = given.heap_bytes + TABLES_ROOM
    quick = Replay(room, Allocator.QUICK, quick_bytes=lists.most_bytes, quick_each=lists.most_each)
    bounded = Replay(
        room,
        Allocator.QUICK,
        options=Options.BOUNDED,
        quick_bytes=lists.most_bytes,
        quick_each=lists.most_each,
    )
    return {**replays(given), QUICK: quick, QUICK_BOUNDED: bounded}


def rows_of(place: Place, runs: Mapping[str, Run], asked: int) -> list[Row]:
    """Numbers of each heap, and ours beside each other one."""
    rows: list[Row] = []
    for name, run in runs.items():
        rows.append(number_row(place, name, PAIR, run.pair_cycles, run.pairs))
        rows.append(number_row(place, name, WORST, run.worst, run.pairs))
        rows.append(number_row(place, name, HELD, held(run, asked), run.pairs))
    for ours in OURS:
        for peer in PEERS:
            if ours in runs and peer in runs:
                ratio = runs[ours].cycles / runs[peer].cycles
                rows.append(row(place, ours, peer, CYCLES, exact(ratio), runs=runs[ours].pairs))
    return rows


def mean_rows(found: TraceRuns, simulator: Simulator, judges: bool) -> Found:
    """Over the traces, of ours beside each other one."""
    there = [cycles for (_, place), cycles in found.items() if place == simulator.place]
    rows: list[Row | Goal] = []
    for ours in OURS:
        for peer in PEERS:
            ratios = [cycles[ours] / cycles[peer] for cycles in there if {ours, peer} <= set(cycles)]
            if not ratios:
                continue
            place = (f"{MEAN} of {len(ratios)} traces", simulator.place)
            mean = row(place, ours, peer, CYCLES, exact(mean_of(ratios)), runs=len(ratios))
            limit = LIMITS.get((ours, peer))
            rows.append(Goal(mean, limit) if judges and limit is not None else mean)
    return rows
