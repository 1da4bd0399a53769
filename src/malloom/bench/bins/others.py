"""The bin heap beside other allocators for embedded systems: mean cycles, worst call, memory held."""

from collections.abc import Mapping, Sequence

from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Options, Replay
from malloom.bench.bins.replays import CYCLES, PAIR, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Run
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

SHIPPED, BOUNDED, TLSF, O1HEAP = "shipped", "shipped, bounded", "TLSF", "o1heap"
NEWLIB, PICOLIBC = "newlib", "picolibc"
OURS, PEERS = (SHIPPED, BOUNDED), (TLSF, O1HEAP, NEWLIB, PICOLIBC)
JUDGED = (TLSF, O1HEAP, NEWLIB)
"""What the shipped heap has to be quicker than."""
WORST, HELD = "worst_call_cycles", "held_per_asked"
TABLES_ROOM = 16 << 10
"""Bytes beside the objects' room: heaps with instances have their tables in it."""


def replays(given: Input) -> Mapping[str, Replay]:
    """One configuration each. o1heap rounds sizes up to powers of two, and has twice the room for it; the
    libraries' heaps ask for memory by the page and, picolibc's, take the first fit."""
    room = given.heap_bytes + TABLES_ROOM
    return {
        SHIPPED: Replay(room),
        BOUNDED: Replay(room, options=Options.BOUNDED),
        TLSF: Replay(room, Allocator.TLSF),
        O1HEAP: Replay(2 * room, Allocator.O1HEAP),
        NEWLIB: Replay(2 * room, Allocator.NEWLIB),
        PICOLIBC: Replay(2 * room, Allocator.PICOLIBC),
    }


def held(run: Run, asked: int) -> float:
    """Bytes up to the end of the object that reached furthest, and of tables elsewhere, for a byte of the
    peak of what is asked for."""
    return (run.held + run.tables) / asked


def other_rows(bench: Bench, graphs: Graphs, judges: bool) -> list[Row | Goal]:
    """A row for each heap and number; ratios of ours to each other one, and goals."""

    def replay(given: Input) -> list[tuple[Run, float]]:
        found = []
        for each in replays(given).values():
            run = graphs.simulator.replay(each, given.judged)[0]
            found.append((run, held(run, given.judged.peak)))
        return found

    place = (f"{graphs.room}, {graphs.simulator.place}", f"{graphs.count} graphs")
    found = graphs.measured(bench, "all heaps", replay)
    whole = [each for each in found if not any(run.failures for run, _ in each)]
    if len(whole) < len(found):
        bench.note(f"{len(found) - len(whole)} of {len(found)} graphs found no room in one of the heaps")
    heaps = dict(zip((*OURS, *PEERS), zip(*whole, strict=True), strict=True))
    rows: list[Row | Goal] = []
    for name, each in heaps.items():
        runs = [run for run, _ in each]
        rows.append(number_row(place, name, PAIR, mean([run.pair_cycles for run in runs]), len(runs)))
        rows.append(number_row(place, name, WORST, max(run.worst for run in runs), len(runs)))
        rows.append(number_row(place, name, HELD, mean([part for _, part in each]), len(runs)))
    return [*rows, *_compared(place, heaps, judges)]


def _compared(
    place: Place, heaps: Mapping[str, Sequence[tuple[Run, float]]], judges: bool
) -> list[Row | Goal]:
    """Goals: mean cycles below those of the judged ones, in bounded mode no worse call than TLSF's, no more
    memory held than TLSF's."""
    rows: list[Row | Goal] = []
    for ours in OURS:
        for peer in PEERS:
            pairs = list(zip(heaps[ours], heaps[peer], strict=True))
            cycles = Spread.of([mine.cycles / theirs.cycles for (mine, _), (theirs, _) in pairs]).mean
            worst = max(mine.worst for (mine, _), _ in pairs) / max(other.worst for _, (other, _) in pairs)
            more = Spread.of([mine / theirs for (_, mine), (_, theirs) in pairs]).mean
            held_to = {CYCLES: peer in JUDGED, WORST: (ours, peer) == (BOUNDED, TLSF), HELD: peer == TLSF}
            for metric, ratio in ((CYCLES, cycles), (WORST, worst), (HELD, more)):
                compared = row(place, ours, peer, metric, exact(ratio), runs=len(pairs))
                rows.append(Goal(compared, 1.0) if judges and held_to[metric] else compared)
    return rows
