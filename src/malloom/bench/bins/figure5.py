"""Figure 5: cycles of a call of a bin function, for sizes in order and drawn, hot and from an empty cache;
and what it takes to generate one, of dlmalloc's ranges and of others that follow no rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from malloom.bench.bins.graphs import generator
from malloom.bench.bins.inputs import JUDGED_SEED
from malloom.bench.bins.operations import GRANULE, Function, OperationList, Ranges, Replay, to_file
from malloom.bench.bins.paper import GENERATION_CYCLES
from malloom.bench.bins.replays import number_row
from malloom.bench.bins.scale import LIMITS, BinsScale
from malloom.bench.bins.simulator import Fields, Simulator
from malloom.bench.goals import Goal, against_limit
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

BINS = 127
HEAP_BYTES = 4096
"""Of the heap whose functions are called; nothing is allocated."""
NONE = np.empty(0, np.int64)
CALL, FLUSHED = "cycles_per_call", "cycles_per_call_flushed"
GENERATION, CODE = "generation_cycles", "code_bytes_per_bin"
INSTRUCTIONS, INSTRUCTION = "generated_instructions", "cycles_per_generated_instruction"
INSTRUCTION_BYTES = 4
IRREGULAR = "irregular"
ORIGINAL, GENERATED = "original", "generated"
SEARCHES = ("branching search", "branchless search")
FUNCTIONS = {
    ORIGINAL: Function.COMPILED_IN,
    SEARCHES[0]: Function.BRANCHING,
    SEARCHES[1]: Function.BRANCHLESS,
    "byte table": Function.BYTE_TABLE,
    GENERATED: Function.GENERATED,
}
FEW_CALLS = 4096
"""From an empty cache."""
NO_SLOWER, OF_SEARCH, OF_SEARCH_AT_BEST = 1.0, 0.5, 0.25
MOST_CODE = 20.0
"""Bytes a bin on RV32IM."""


@dataclass(frozen=True)
class Sizes:
    """All multiples of 8 below a limit, or some that are drawn; of multiples, one every `step` bytes."""

    limit: str
    random: int
    step: int = GRANULE

    @property
    def name(self) -> str:
        return f"{'random' if self.random else 'linear'} below {self.limit}"


def calls_file(function: Function, sizes: Sizes, flushes: bool, begins: Sequence[int] | None = None) -> bytes:
    """firmware/benchmarks/bins/calls_file.h: a heap of the function with dlmalloc's bins, or those that begin
    as is given, then the sizes."""
    words = [LIMITS[sizes.limit], sizes.random, sizes.step, int(flushes), *(begins or ())]
    ranges = Ranges.ORIGINAL if begins is None else Ranges.GIVEN
    heap = Replay(HEAP_BYTES, ranges=ranges, first_function=function, function=function, bins=BINS)
    return to_file(heap, OperationList(NONE, NONE)) + np.asarray(words, "<u4").tobytes()


def irregular_begins(bins: int = BINS, limit: int = 1 << 20) -> list[int]:
    """Of bins whose begins are multiples of 8 that are drawn by their logarithm: no shift or division finds
    the bin, so that its function is a tree of comparisons, as the paper's is."""
    random = generator(JUDGED_SEED, bins)
    begins = {0}
    while len(begins) < bins:
        begins.add(int(GRANULE * (limit / GRANULE) ** random.random()) // GRANULE * GRANULE)
    return sorted(begins)


def call_cycles(fields: Fields) -> float:
    """Of a call: what it took beyond a call of a function that does nothing."""
    return (fields["cycles"] - fields["without"]) / fields["calls"]


def all_sizes(scale: BinsScale, flushes: bool) -> list[Sizes]:
    """From an empty cache not all, as that takes long: of multiples of 8 each n-th, so that a few thousand
    are left, and as many that are drawn."""
    found = []
    for limit in scale.limits:
        step = max(GRANULE, LIMITS[limit] // FEW_CALLS) if flushes else GRANULE
        random = min(scale.random_sizes, FEW_CALLS) if flushes else scale.random_sizes
        found += [Sizes(limit, 0, step), Sizes(limit, random)]
    return found


def call_rows(bench: Bench, simulator: Simulator, scale: BinsScale, flushes: bool) -> list[Row | Goal]:
    """A row for each function and set of sizes; goals for calls of what is in the cache."""
    found = _called(bench, simulator, all_sizes(scale, flushes), flushes)
    cycles = {
        sizes.name: {name: call_cycles(fields) for name, fields in each.items()}
        for sizes, each in found.items()
    }
    rows: list[Row | Goal] = []
    for name, each in cycles.items():
        rows += _rows_of((name, simulator.place), each, FLUSHED if flushes else CALL)
    if flushes:
        return rows
    generation = next(iter(found.values()))[GENERATED]
    rows += _generation((f"{BINS} bins, {ORIGINAL} ranges", simulator.place), generation, scale.judges)
    rows += _of_irregular(bench, simulator, scale)
    return [*rows, *_goals(simulator.place, cycles)] if scale.judges else rows


def _called(
    bench: Bench, simulator: Simulator, sets: Sequence[Sizes], flushes: bool
) -> dict[Sizes, dict[str, Fields]]:
    """What is printed for each function in each set; raises CommandError where bins differ."""
    given = [(sizes, name) for sizes in sets for name in FUNCTIONS]
    what = "bin functions from an empty cache" if flushes else "bin functions"
    bench.say(f"calling {what}")

    def call(each: tuple[Sizes, str]) -> Fields:
        return simulator.printed("bin_calls", calls_file(FUNCTIONS[each[1]], each[0], flushes))[0]

    printed = side_by_side(given, call, lambda number: bench.progress(what, number))
    found: dict[Sizes, dict[str, Fields]] = {sizes: {} for sizes in sets}
    for (sizes, name), fields in zip(given, printed, strict=True):
        found[sizes][name] = fields
    for sizes, each in found.items():
        _check_bins(sizes, each)
    return found


def _check_bins(sizes: Sizes, found: Mapping[str, Fields]) -> None:
    if len({fields["sum"] for fields in found.values()}) != 1:
        raise CommandError(f"the functions do not agree on the bins of sizes {sizes.name}")


def _rows_of(place: Place, cycles: dict[str, float], metric: str) -> list[Row | Goal]:
    return [
        *(number_row(place, name, metric, number, 1) for name, number in cycles.items()),
        *(
            row(place, name, ORIGINAL, metric, exact(number / cycles[ORIGINAL]))
            for name, number in cycles.items()
            if name != ORIGINAL
        ),
    ]


def _goals(simulated: str, cycles: dict[str, dict[str, float]]) -> list[Row | Goal]:
    """Against the original and the quicker search in each set of sizes, and in the best one."""
    goals: list[Row | Goal] = []
    of_search: dict[str, float] = {}
    for name, each in cycles.items():
        quicker = min(SEARCHES, key=each.__getitem__)
        of_search[name] = each[GENERATED] / each[quicker]
        place = (name, simulated)
        ratio = exact(each[GENERATED] / each[ORIGINAL])
        goals.append(Goal(row(place, GENERATED, ORIGINAL, CALL, ratio), NO_SLOWER))
        goals.append(Goal(row(place, GENERATED, "quicker search", CALL, exact(of_search[name])), OF_SEARCH))
    best = min(of_search, key=of_search.__getitem__)
    held = row((f"best: {best}", simulated), GENERATED, "quicker search", CALL, exact(of_search[best]))
    return [*goals, Goal(held, OF_SEARCH_AT_BEST)]


def _of_irregular(bench: Bench, simulator: Simulator, scale: BinsScale) -> list[Row | Goal]:
    """Calls of what is in the cache, and generation. Raises CommandError where bins differ."""
    sizes = Sizes(scale.limits[-1], scale.random_sizes)
    begins = irregular_begins()
    names = [name for name in FUNCTIONS if name != ORIGINAL]
    bench.say("calling bin functions of irregular ranges")

    def call(name: str) -> Fields:
        return simulator.printed("bin_calls", calls_file(FUNCTIONS[name], sizes, False, begins))[0]

    found = dict(zip(names, side_by_side(names, call, lambda _: None), strict=True))
    _check_bins(sizes, found)
    place = (f"{sizes.name}, {IRREGULAR} ranges", simulator.place)
    calls = [number_row(place, name, CALL, call_cycles(fields), 1) for name, fields in found.items()]
    generation = (f"{BINS} bins, {IRREGULAR} ranges", simulator.place)
    return [*calls, *_generation(generation, found[GENERATED], scale.judges)]


def _generation(place: Place, fields: Fields, judges: bool) -> list[Row | Goal]:
    """Of the code of 127 bins. Raises CommandError where none came about."""
    cycles, code = float(fields["generation"]), float(fields["code"])
    if code == 0:
        raise CommandError(f"no function of {place[0]} was generated")
    instructions = code / INSTRUCTION_BYTES
    rows = [
        number_row(place, GENERATED, GENERATION, cycles, 1),
        number_row(place, GENERATED, INSTRUCTIONS, instructions, 1),
        number_row(place, GENERATED, INSTRUCTION, cycles / instructions, 1),
    ]
    goals = [
        against_limit(place, GENERATED, GENERATION, [cycles], GENERATION_CYCLES),
        against_limit(place, GENERATED, CODE, [code / BINS], MOST_CODE),
    ]
    return [*rows, *goals] if judges else [*rows]
