"""Ranges crossed with functions: what better ranges bring, and what generating brings, stand apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from malloom.bench.bins.figure8 import COMPILED_IN
from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Function, Options, Ranges, Rehash, Replay
from malloom.bench.bins.replays import CYCLES, PAIR, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Run
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure.rows import Row

OCTAVE_BINS = 8 + 8 * 18
"""Of 8 bytes each below 64, then eight to an octave up to 16 MiB; the last one has all larger sizes."""
NAMES: Mapping[Function, str] = {
    Function.COMPILED_IN: "compiled in",
    Function.BRANCHING: "branching search",
    Function.BRANCHLESS: "branchless search",
    Function.BYTE_TABLE: "byte table",
    Function.GENERATED: "generated",
}
REHASHES = 3


@dataclass(frozen=True)
class Combination:
    """Ranges with a function that leads to them. Redistributed ones are learned by some rehashes, counting;
    what they are judged by is counted too."""

    ranges: str
    function: Function

    @property
    def name(self) -> str:
        if self.ranges == OCTAVES and self.function is Function.COMPILED_IN:
            return "two levels by leading zeros"
        return NAMES[self.function]

    def replay(self, heap_bytes: int) -> Replay:
        plain = Replay(heap_bytes, first_function=self.function, function=self.function, runs=2)
        if self.ranges == OCTAVES:
            return replace(plain, ranges=Ranges.OCTAVES, bins=OCTAVE_BINS)
        if self.ranges == ORIGINAL:
            return plain
        return replace(
            plain,
            first_function=Function.COMPILED_IN,
            rehash=Rehash.SMOOTH,
            options=Options.COUNT_INSERTIONS,
            runs=REHASHES + 1,
            rehashes=REHASHES,
        )


ORIGINAL, REDISTRIBUTED, OCTAVES = "original", "redistributed", "eight per octave"
COMBINATIONS = (
    *(Combination(ORIGINAL, function) for function in Function),
    *(Combination(REDISTRIBUTED, function) for function in Function if function is not Function.COMPILED_IN),
    *(Combination(OCTAVES, function) for function in Function),
)


def combination_rows(bench: Bench, graphs: Graphs) -> list[Row | Goal]:
    """The last run of each combination, against the heap with dlmalloc's bins compiled in."""

    def replay(given: Input) -> list[Run]:
        """The last run of the baseline, then of each combination."""
        lists = (given.judged, given.learned)
        baseline = Replay(given.heap_bytes, Allocator.COMPILED_IN, runs=2)
        replays = [baseline, *(each.replay(given.heap_bytes) for each in COMBINATIONS)]
        return [graphs.simulator.replay(each, *lists)[-1] for each in replays]

    found = graphs.replayed(bench, "ranges and functions", replay)
    rows: list[Row | Goal] = []
    where = f"{graphs.room}, {graphs.simulator.place}"
    for number, each in enumerate(COMBINATIONS, 1):
        rows += _rows_of((f"{each.ranges}, {where}", "mean"), each.name, found, number)
    pairs = mean([runs[0].pair_cycles for runs in found])
    return [*rows, number_row((f"{ORIGINAL}, {where}", "mean"), "inlined", PAIR, pairs, len(found))]


def _rows_of(
    place: tuple[str, str], name: str, found: Sequence[Sequence[Run]], number: int
) -> list[Row | Goal]:
    spread = Spread.of([runs[number].cycles / runs[0].cycles for runs in found])
    pair = mean([runs[number].pair_cycles for runs in found])
    return [
        spread.mean_row(place, name, COMPILED_IN, CYCLES, len(found)),
        number_row(place, name, PAIR, pair, len(found)),
    ]
