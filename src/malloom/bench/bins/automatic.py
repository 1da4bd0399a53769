"""Automatic rehash beside rehash that is called after each run, and what each kind of counter costs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from malloom.bench.bins.figure8 import COMPILED_IN, SHIPPED, replay_of
from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Function, Options, Rehash, Replay
from malloom.bench.bins.replays import CYCLES, PAIR, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Run
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure.rows import Place, Row

RUNS = 10
CALLED, AUTOMATIC, SEARCHED = "called", "automatic", "automatic, searched"
REHASHES = "automatic_rehashes"
MOST_OF_CALLED = 1.03
UNCOUNTED, EVERYTHING, INSERTIONS = "nothing counted", "all", "insertions"
SAMPLED = (16, 64)
"""Objects that are given back, of which one is counted."""
KINDS: Mapping[str, Options] = {
    INSERTIONS: Options.COUNT_INSERTIONS,
    "extractions": Options.COUNT_EXTRACTIONS,
    "steps": Options.COUNT_STEPS,
    EVERYTHING: Options.COUNT_INSERTIONS | Options.COUNT_EXTRACTIONS | Options.COUNT_STEPS,
}


COUNTED = 1 + len(KINDS) + len(SAMPLED) + 2 + len(SAMPLED)
"""Replays of each graph: the shipped heap's, and the paper's."""


def automatic_replays(heap_bytes: int) -> Mapping[str, Replay]:
    """Ten runs each. The automatic heaps begin with dlmalloc's function compiled in, as the one does whose
    rehash is called, or with a search in the table."""
    automatic = Replay(
        heap_bytes, function=Function.GENERATED, rehash=Rehash.BY_COST, runs=RUNS, automatic=True
    )
    return {
        COMPILED_IN: Replay(heap_bytes, Allocator.COMPILED_IN, runs=RUNS),
        CALLED: replay_of(SHIPPED, heap_bytes, RUNS - 1),
        AUTOMATIC: automatic,
        SEARCHED: replace(automatic, first_function=Function.BRANCHLESS),
    }


def total(runs: Sequence[Run]) -> int:
    """Cycles of the calls and of the rehashes between them."""
    return sum(run.cycles + run.rehash for run in runs)


def automatic_rows(bench: Bench, graphs: Graphs, judges: bool) -> list[Row | Goal]:
    """Total cycles of ten runs, each way against the heap that counts nothing; automatic against called."""
    names = tuple(automatic_replays(0))

    def replay(given: Input) -> list[list[Run]]:
        replays = automatic_replays(given.heap_bytes).values()
        return [graphs.simulator.replay(each, given.judged) for each in replays]

    place = (f"{graphs.name}, {RUNS} runs", f"{graphs.count} graphs")
    found = whole_of(bench, graphs.measured(bench, "automatic rehash", replay))
    by_name = dict(zip(names, zip(*found, strict=True), strict=True))
    rows: list[Row | Goal] = []
    for name, each in by_name.items():
        pairs = [total(runs) / sum(run.pairs for run in runs) for runs in each]
        rows.append(number_row(place, name, PAIR, mean(pairs), len(found)))
        if name != COMPILED_IN:
            rows.append(_mean_row(place, name, each, COMPILED_IN, by_name[COMPILED_IN]))
        if name in (AUTOMATIC, SEARCHED):
            rehashes = mean([runs[-1].automatic_rehashes for runs in each])
            rows.append(number_row(place, name, REHASHES, rehashes, len(found)))
    compared = _mean_row(place, AUTOMATIC, by_name[AUTOMATIC], CALLED, by_name[CALLED])
    return [*rows, Goal(compared, MOST_OF_CALLED) if judges else compared]


def whole_of(bench: Bench, found: list[list[list[Run]]]) -> list[list[list[Run]]]:
    """Those in which every request of every heap found room, with a note of the others."""
    whole = [each for each in found if not any(run.failures for runs in each for run in runs)]
    if len(whole) < len(found):
        bench.note(f"{len(found) - len(whole)} of {len(found)} graphs found no room in one of the heaps")
    return whole


def _mean_row(
    place: Place,
    variant: str,
    runs: Sequence[Sequence[Run]],
    baseline: str,
    others: Sequence[Sequence[Run]],
) -> Row:
    ratios = [total(mine) / total(theirs) for mine, theirs in zip(runs, others, strict=True)]
    return Spread.of(ratios).mean_row(place, variant, baseline, CYCLES, len(ratios))


def counter_replays(heap_bytes: int) -> Mapping[str, Mapping[str, Replay]]:
    """Of the shipped heap and of the paper's, by what is counted; first nothing."""
    plain = Replay(heap_bytes, runs=2)
    shipped = {name: replace(plain, options=options) for name, options in KINDS.items()}
    uncounted, sampled, paper = (
        replace(plain, allocator=each)
        for each in (Allocator.PAPER_WALKED, Allocator.PAPER_SAMPLED, Allocator.PAPER)
    )
    return {
        "shipped heap": {UNCOUNTED: plain, **shipped, **_sampled(plain)},
        "paper's heap": {
            UNCOUNTED: uncounted,
            INSERTIONS: replace(paper, options=Options.COUNT_INSERTIONS),
            **_sampled(sampled),
        },
    }


def _sampled(replay: Replay) -> Mapping[str, Replay]:
    return {f"one released in {each}": replace(replay, one_in=each) for each in SAMPLED}


def counter_rows(bench: Bench, graphs: Graphs) -> list[Row | Goal]:
    """Each kind of counter against the same heap that counts nothing."""
    rows: list[Row | Goal] = []
    for heap, replays in counter_replays(0).items():

        def replay(given: Input, heap: str = heap) -> list[Run]:
            counted = counter_replays(given.heap_bytes)[heap].values()
            return [graphs.simulator.replay(each, given.judged)[-1] for each in counted]

        found = graphs.replayed(bench, f"counters, {heap}", replay)
        place = (f"{heap}, {graphs.room}, {graphs.simulator.place}", f"{len(found)} graphs")
        for number, name in enumerate(replays):
            pair = mean([runs[number].pair_cycles for runs in found])
            rows.append(number_row(place, name, PAIR, pair, len(found)))
            if number > 0:
                spread = Spread.of([runs[number].cycles / runs[0].cycles for runs in found])
                rows.append(spread.mean_row(place, name, UNCOUNTED, CYCLES, len(found)))
    return rows
