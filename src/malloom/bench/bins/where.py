"""Where the cycles of a pair of calls go: by what the heap does, with the lines that its caches were filled
with.

The simulated core counts cycles by address. What is counted is the difference of two replays, one of which
goes through the list once more, so that what comes before a run, and the rehashes, are in neither."""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from malloom.bench.bins.figure8 import PAPERS, SHIPPED, replay_of
from malloom.bench.bins.inputs import Input
from malloom.bench.bins.operations import Allocator, Replay
from malloom.bench.bins.replays import PAIR, Graphs, Spread, mean, number_row
from malloom.bench.bins.simulator import Profile
from malloom.bench.numbers import ONE
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.rows import Row
from malloom.measure.valgrind import installed

INSTRUCTION_LINES, DATA_LINES, SHARE = (
    "instruction_lines_per_pair",
    "data_lines_per_pair",
    "share_of_list_steps",
)
REHASHES = 9
"""As in figure 8."""

WORK: Mapping[str, Sequence[str]] = {
    "passing empty bins": ("next_filled", "lowest_bit"),
    "size to bin": ("bin_of", "original_bin", "malloom_bins_variable", "malloom_bins_original", "range_of"),
    "counting": ("add_to_count", "count"),
    "judging what is freed": (
        "judge",
        "region_of",
        "agrees",
        "agrees_with_next",
        "agrees_with_former",
        "fits",
    ),
    "into a list, out of a list": ("link", "unlink", "take_out", "note_empty", "replace"),
    "steps in lists": ("find", "insert", "is_smaller"),
    "splitting and joining": ("carve", "divide", "make_free", "set_free", "set_free_tags", "take_from_free"),
}
"""What the heap does, and its functions, of which the innermost decides."""
ENTRY, LISTS = "entry", "steps in lists"
CALLS = ("malloom_bins_alloc", "malloom_bins_free", "allocate", "release", "make_plainly", "release_plainly")
"""What is in none of those but in one of these is the call's own."""
NAMES = {function: work for work, functions in WORK.items() for function in functions}


@dataclass(frozen=True)
class State:
    """Of a heap: how it is replayed."""

    name: str
    allocator: Allocator
    rehashes: int

    def replay(self, heap_bytes: int) -> Replay:
        if self.allocator is Allocator.COMPILED_IN:
            return Replay(heap_bytes, self.allocator)
        return replay_of(PAPERS if self.allocator is Allocator.PAPER else SHIPPED, heap_bytes, self.rehashes)


STATES = (
    State("paper's heap, initial", Allocator.PAPER, 0),
    State(f"paper's heap, after {REHASHES}", Allocator.PAPER, REHASHES),
    State("bins compiled in", Allocator.COMPILED_IN, 0),
    State(f"shipped heap, after {REHASHES}", Allocator.SHIPPED, REHASHES),
)


def work_of(frames: Sequence[str]) -> str | None:
    """Of an instruction, by the functions that it was inlined into, the innermost first; None where it is no
    heap's."""
    for name in frames:
        if name in NAMES:
            return NAMES[name]
    return ENTRY if any(name in CALLS for name in frames) else None


def bare(function: str) -> str:
    """`a::b<c>::find(d&)` as `find`."""
    depth, kept = 0, []
    for letter in function:
        depth += letter == "<"
        if not depth:
            kept.append(letter)
        depth -= letter == ">"
    return "".join(kept).partition("(")[0].rpartition("::")[2].rpartition(" ")[2]


def frames_of(program: str, addresses: Iterable[int]) -> list[list[str]]:
    """The functions at each address, the innermost first."""
    command = [
        installed("llvm-symbolizer-19", "llvm-19"),
        "--inlines",
        "--obj",
        program,
        *map(hex, addresses),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [[bare(line) for line in block.split("\n")[::2]] for block in done.stdout.strip().split("\n\n")]


class Cycles:
    """Of a heap's parts: cycles, lines of instructions and lines of data of a pair."""

    def __init__(self, sums: Mapping[str, np.ndarray]) -> None:
        self.sums = sums

    @classmethod
    def of(cls, profile: Profile, program: str, end: int, pairs: int) -> "Cycles":
        """Code that is generated lies behind the program, from `end` on."""
        addresses = [address for address in profile if address < end]
        works: dict[int, str | None] = dict.fromkeys(profile, "size to bin")
        works |= {
            address: work_of(frames)
            for address, frames in zip(addresses, frames_of(program, addresses), strict=True)
        }
        sums = {work: np.zeros(3) for work in (ENTRY, *WORK)}
        for address, counted in profile.items():
            if (work := works[address]) is not None:
                sums[work] += np.asarray(counted[1:]) / pairs
        return cls(sums)

    @property
    def share_of_lists(self) -> float:
        """Of the cycles."""
        return float(self.sums[LISTS][0] / sum(each[0] for each in self.sums.values()))


def where_rows(bench: Bench, graphs: Graphs, state: State) -> list[Row]:
    """What each part of the heap takes in the mean of the graphs, and how much of each graph lists take."""
    program, end = graphs.simulator.replay_program

    def measure(given: Input) -> Cycles:
        once = state.replay(given.heap_bytes)
        profiles = [
            graphs.simulator.profiled(each, given.judged, given.learned)
            for each in (once, replace(once, runs=once.runs + 1))
        ]
        return Cycles.of(one_more(*profiles), program, end, given.judged.pairs)

    found = graphs.measured(bench, state.name, measure)
    place = (f"{graphs.room}, {graphs.simulator.place}", state.name)
    rows: list[Row] = []
    for work in found[0].sums:
        for metric, index in ((PAIR, 0), (INSTRUCTION_LINES, 1), (DATA_LINES, 2)):
            number = mean([float(each.sums[work][index]) for each in found])
            rows.append(number_row(place, work, metric, number, len(found)))
    return [*rows, *Spread.of([each.share_of_lists for each in found]).rows(place, ONE, SHARE, len(found))]


def one_more(once: Profile, twice: Profile) -> Profile:
    """What the second has beyond the first."""
    difference = {
        address: tuple(more - less for more, less in zip(counted, once.get(address, (0,) * 4), strict=True))
        for address, counted in twice.items()
    }
    if not any(counted[0] for counted in difference.values()):
        raise CommandError("a replay that goes through the list once more does no more")
    return {address: counted for address, counted in difference.items() if any(counted)}
