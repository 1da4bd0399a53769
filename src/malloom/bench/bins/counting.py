"""What a rehash goes by, and what that costs between: each insertion counted, one of so many objects that are
given back, or a walk through the heap when the rehash begins; and a rehash that is done only where it pays.

Rehashes come in the middle of a run of what is learned from: where nothing lives there is nothing to walk
through."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from malloom.bench.bins.figure8 import (
    COMPILED_IN,
    INITIAL,
    RACED,
    REHASH,
    SETTLED,
    SHIPPED,
    Heap,
    raced,
    replay_of,
)
from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Options, Replay, Walk
from malloom.bench.bins.replays import CYCLES, PAIR, WITH_REHASH, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Run
from malloom.bench.steps import Bench
from malloom.measure.rows import Row

SAMPLED = 16
EACH, ONE_IN, FREE, ALL = "each insertion", f"one in {SAMPLED}", "free chunks", "all chunks"
IF_WORTH = ", if worth"
HEAPS = (RACED, SHIPPED)


def ways(heap: Heap, given: Input) -> Mapping[str, Replay]:
    """Of a heap whose rehash is chosen. Only the shipped one knows what a rehash is worth; it walks by itself
    where nothing was counted."""
    counted = replay_of(heap, given.heap_bytes, SETTLED)
    assert given.learned is not None
    each = replace(counted, rehash_at=len(given.learned) // 2)
    quiet = replace(each, options=Options.NONE)
    is_paper = heap.allocator is Allocator.PAPER
    walked = replace(quiet, allocator=Allocator.PAPER_WALKED) if is_paper else quiet
    sampled = replace(quiet, allocator=Allocator.PAPER_SAMPLED) if is_paper else quiet
    found = {
        EACH: each,
        ONE_IN: replace(sampled, one_in=SAMPLED),
        FREE: replace(walked, walk=Walk.FREE_CHUNKS),
        ALL: replace(walked, walk=Walk.ALL_CHUNKS),
    }
    if not is_paper:
        for name in (ONE_IN, ALL):
            found[name + IF_WORTH] = replace(found[name], walk=Walk.NONE, worth_for=given.judged.pairs)
    return found


def counting_rows(bench: Bench, graphs: Graphs, heap: Heap) -> list[Row]:
    """Each way before a rehash and after the last: against its own first run, against the way that counts
    each insertion, and against dlmalloc's bins compiled in."""

    def replay(given: Input) -> dict[str, list[Run]]:
        chosen = raced(heap, given, graphs.simulator) if heap.is_raced else heap
        plain = Replay(given.heap_bytes, Allocator.COMPILED_IN, runs=SETTLED + 1)
        learned = {
            name: graphs.simulator.replay(each, given.judged, given.learned)
            for name, each in ways(chosen, given).items()
        }
        return {COMPILED_IN: graphs.simulator.replay(plain, given.judged), **learned}

    measured = graphs.measured(bench, f"{heap.name}, what a rehash goes by", replay)
    found = [each for each in measured if not any(run.failures for runs in each.values() for run in runs)]
    if len(found) < len(measured):
        bench.note(f"{heap.name}: {len(measured) - len(found)} of {len(measured)} graphs found no room")
    by_name = {name: [each[name] for each in found] for name in found[0]}
    whole = f"{heap.name}, {graphs.name}"
    return [row for number in (0, SETTLED) for row in _rows_after(whole, number, by_name)]


def _rows_after(heap: str, number: int, by_name: Mapping[str, list[list[Run]]]) -> list[Row]:
    """Of so many rehashes."""
    rows: list[Row] = []
    place, count = (heap, str(number)), len(by_name[EACH])
    for name, found in by_name.items():
        rows.append(number_row(place, name, PAIR, mean([runs[number].pair_cycles for runs in found]), count))
        if name == COMPILED_IN:
            continue
        rehash = mean([runs[number].rehash for runs in found])
        rows.append(number_row(place, name, REHASH, rehash, count))
        own = Spread.of([runs[number].cycles / runs[0].cycles for runs in found])
        rows += own.rows((f"{heap}, {name}", str(number)), INITIAL, CYCLES, count)
        for baseline in (COMPILED_IN, EACH):
            for metric in (CYCLES, WITH_REHASH):
                if name != baseline:
                    pairs = zip(by_name[baseline], found, strict=True)
                    each = Spread.of([_ratio(mine, theirs, number, metric) for theirs, mine in pairs])
                    rows.append(each.mean_row(place, name, baseline, metric, count))
    return rows


def _ratio(mine: Sequence[Run], theirs: Sequence[Run], number: int, metric: str) -> float:
    """Of the cycles after so many rehashes, with the last one where the metric says so."""
    rehash = 1 if metric == WITH_REHASH else 0
    ours, other = (each[number].cycles + rehash * each[number].rehash for each in (mine, theirs))
    return ours / other
