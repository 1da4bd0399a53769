"""Figure 8: cycles of the calls after each rehash, over the graphs: worst, mean and best.

Each graph is replayed again and again with a rehash between. The paper's heap is held against its own first
run, as the paper does; the shipped one against itself with dlmalloc's bins compiled in and nothing counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Function, Options, Rehash, Replay
from malloom.bench.bins.paper import BEST_SPEEDUP, MEAN_SPEEDUP
from malloom.bench.bins.replays import (
    CYCLES,
    PAIR,
    WITH_REHASH,
    Graphs,
    Limits,
    Spread,
    mean,
    number_row,
)
from malloom.bench.bins.simulator import Run, Simulator
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench, Found
from malloom.measure.rows import Place, Row

INITIAL, COMPILED_IN = "initial", "compiled in"
BREAK_EVEN, REHASH = "pairs_to_break_even", "rehash_cycles"
SETTLED = 3
"""Rehashes from which on the shipped heap has to be quicker."""
SHIPPED_MEAN, SHIPPED_WORST = 1.00, 1.02
PAPER_LIMITS: Limits = {"mean": 1 - MEAN_SPEEDUP, "best": 1 - BEST_SPEEDUP}
SHIPPED_LIMITS: Limits = {"mean": SHIPPED_MEAN, "worst": SHIPPED_WORST}


@dataclass(frozen=True)
class Heap:
    """One of the two that figure 8 is of."""

    name: str
    allocator: Allocator
    rehash: Rehash
    baseline: str
    bins: int = 0
    """After a rehash; 0: as many as before."""
    is_raced: bool = False
    """Whether ranges and number of bins are the quickest of several on what it learns from."""


PAPERS = Heap("paper's heap", Allocator.PAPER, Rehash.LINEAR, INITIAL)
RACED = replace(PAPERS, name="paper's heap, number of bins raced", is_raced=True)
SHIPPED = Heap("shipped heap", Allocator.SHIPPED, Rehash.BY_OCTAVE, COMPILED_IN)
NUMBERS = (8, 16, 32, 64, 127)
"""Of bins that are raced: powers of two, and as many as there are before."""


def replay_of(heap: Heap, heap_bytes: int, rehashes: int) -> Replay:
    """Insertions are counted, which is what the paper found best."""
    return Replay(
        heap_bytes,
        heap.allocator,
        function=Function.GENERATED,
        rehash=heap.rehash,
        options=Options.COUNT_INSERTIONS,
        runs=rehashes + 1,
        rehashes=rehashes,
        rehash_bins=heap.bins,
    )


def raced(heap: Heap, given: Input, simulator: Simulator) -> Heap:
    """With the ranges and the number of bins that are the quickest after a rehash, on what it learns from; as
    it is takes part."""
    learned = given.learned or given.judged

    def cycles(tried: Heap) -> int:
        return simulator.replay(replay_of(tried, given.heap_bytes, 1), learned)[-1].cycles

    ways = [(Rehash.AS_THEY_ARE, 0), *product((heap.rehash, Rehash.BY_OCTAVE), NUMBERS)]
    return min((replace(heap, rehash=rehash, bins=bins) for rehash, bins in ways), key=cycles)


class Replays(Gathered[list[list[Run]]]):
    """The runs of each graph, by which graphs they are: first the one that the others are compared with."""

    kind = list[list[Run]]


def replay_graphs(bench: Bench, graphs: Graphs, heap: Heap, rehashes: int, replays: Replays) -> Found:
    """Only gathers: the rows are of all graphs together."""

    def replay(given: Input) -> list[Run]:
        """The runs, and first the one that they are compared with."""
        chosen = raced(heap, given, graphs.simulator) if heap.is_raced else heap
        rehashed = replay_of(chosen, given.heap_bytes, rehashes)
        runs = graphs.simulator.replay(rehashed, given.judged, given.learned)
        if heap.baseline == INITIAL:
            return [runs[0], *runs]
        plain = Replay(given.heap_bytes, Allocator.COMPILED_IN)
        return [*graphs.simulator.replay(plain, given.judged), *runs]

    replays[graphs.name, graphs.numbers] = graphs.replayed(bench, heap.name, replay)
    return []


def figure8_rows(replays: Replays, graphs: Graphs, heap: Heap, rehashes: int, judges: bool) -> Found:
    """Rows for each rehash, 0 being before the first one, and what must be reached, over all that were
    replayed of the graphs."""
    found = [runs for (name, _), of_part in replays.items() if name == graphs.name for runs in of_part]
    if not found:
        return []
    name = f"{heap.name}, {graphs.name}"
    return [*_of_rehashes(found, name, heap), *_concluded(found, name, heap, rehashes if judges else 0)]


def _of_rehashes(found: Sequence[Sequence[Run]], name: str, heap: Heap) -> list[Row | Goal]:
    rows: list[Row | Goal] = []
    for number in range(len(found[0]) - 1):
        place: Place = (name, str(number))
        for metric in (CYCLES, WITH_REHASH):
            spread = Spread.of(ratios_after(found, number, metric))
            rows += spread.rows(place, heap.baseline, metric, len(found))
        pair = mean([runs[number + 1].pair_cycles for runs in found])
        rows.append(number_row(place, heap.name, PAIR, pair, len(found)))
        rehash = mean([runs[number + 1].rehash for runs in found])
        rows.append(number_row(place, heap.name, REHASH, rehash, len(found)))
    pair = mean([runs[0].pair_cycles for runs in found])
    rows.append(number_row((name, "0"), heap.baseline, PAIR, pair, len(found)))
    return rows


def ratios_after(found: Sequence[Sequence[Run]], number: int, metric: str) -> list[float]:
    """Of each graph after so many rehashes, to what it is compared with, which stands first in it. The rehash
    before a run belongs to it where the metric says so."""
    rehash = 1 if metric == WITH_REHASH else 0
    return [(runs[number + 1].cycles + rehash * runs[number + 1].rehash) / runs[0].cycles for runs in found]


def pairs_to_break_even(found: Sequence[Sequence[Run]], number: int) -> float | None:
    """Of the graphs together: pairs after which so many rehashes have saved what they took. None where
    nothing is saved."""
    took = sum(run.rehash for runs in found for run in runs[1 : number + 2])
    saved = sum(runs[0].cycles - runs[number + 1].cycles for runs in found)
    pairs = sum(runs[0].pairs for runs in found)
    return took / saved * pairs / len(found) if saved > 0 else None


def _concluded(found: Sequence[Sequence[Run]], name: str, heap: Heap, rehashes: int) -> list[Row | Goal]:
    """The goals, where there are rehashes enough for them."""
    if heap.baseline == INITIAL:
        if rehashes == 0:
            return []
        last = Spread.of(ratios_after(found, rehashes, CYCLES))
        return last.goals((name, f"after {rehashes}"), heap.baseline, CYCLES, len(found), PAPER_LIMITS)
    rows: list[Row | Goal] = []
    if (pairs := pairs_to_break_even(found, min(SETTLED, len(found[0]) - 2))) is not None:
        rows.append(number_row((name, str(SETTLED)), heap.name, BREAK_EVEN, pairs, len(found)))
    for metric in (CYCLES, WITH_REHASH) if rehashes >= SETTLED else ():
        later = [Spread.of(ratios_after(found, number, metric)) for number in range(SETTLED, rehashes + 1)]
        hardest = Spread(
            max(each.worst for each in later),
            max(each.mean for each in later),
            max(each.best for each in later),
        )
        place = (name, f"from {SETTLED} on")
        rows += hardest.goals(place, heap.baseline, metric, len(found), SHIPPED_LIMITS)
    return rows
