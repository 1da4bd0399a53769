"""A task graph that runs on several simulated cores: its file, and what comes of it.

`firmware/benchmarks/bins/task_file.h` says the same of the file in C++.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from malloom.bench.bins.graphs import Successors, predecessors_of
from malloom.bench.bins.inputs import ALIGNMENT
from malloom.bench.bins.schedule import DrawnGraph
from malloom.bench.bins.simulator import Simulator

MAGIC = int.from_bytes(b"TASK", "little")
VERSION = 1
PEAKS = 4
"""All heaps together have so many times the bytes that are asked for at one time."""
MEMORY = 1 << 20
"""Bytes of each core's own memory."""
BESIDE_HEAPS = 1 << 20
"""Bytes of the shared memory that heaps leave for tables, and for the state of the tasks."""


class Heaps(IntEnum):
    """Where the cores' buffers come from."""

    ONE = 0
    """Of all cores, with a lock."""
    EACH = 1
    """One for each core, whose instance all cores see, with a lock: others give back by
    malloom_bins_free_later. What finds no room there comes from one of all cores."""
    COLLECTED = 2
    """The same, whose instance the core alone sees: others give back to a post, which it looks into before it
    makes an object."""
    GENERATED = 3
    """As ONE, with a function to a bin that the first core generates, again and again, and all cores run."""


@dataclass(frozen=True)
class Cores:
    """Which cores there are, and the memory that they share."""

    count: int
    latency: int
    """Cycles of an access to it."""
    banks: int = 1
    """Of which each has one access at a time."""

    @property
    def name(self) -> str:
        many = f"{self.count} cores" if self.count > 1 else "1 core"
        return f"{many}, {self.banks} banks" if self.banks > 1 else many

    def options(self, shared_bytes: int) -> list[str]:
        """Of the simulator."""
        values = {"": self.count, "latency": self.latency, "banks": self.banks}
        named = {"--cores" if not name else f"--shared-{name}": value for name, value in values.items()}
        named["--shared"] = shared_bytes
        return [str(word) for pair in named.items() for word in pair]


@dataclass(frozen=True)
class TaskRun:
    """A graph that has run. Each task has made an object, and each object was given back."""

    cores: int
    cycles: int
    """From the first core's begin to the end of the last task."""
    calls: int
    """Cycles of all calls, on all cores together."""
    worst: int
    """Cycles of a call."""
    pairs: int
    released: int
    foreign: int
    """Objects that another core gave back than the one that made them."""
    overflows: int
    """Objects that found no room in the core's own heap."""
    failures: int
    """Objects that found none at all."""
    wrong: int
    """Bytes of objects that were not what had been written."""
    rehashes: int
    elsewhere: int
    """Objects made by code that another core has generated."""
    living: int
    """Objects at the end."""
    damaged: int
    """Heaps in which something does not hold, at the end."""

    @property
    def pair_cycles(self) -> float:
        return self.calls / self.pairs

    @property
    def is_right(self) -> bool:
        return self.released == self.pairs - self.failures and not (self.wrong or self.living or self.damaged)


def heap_bytes_for(graph: DrawnGraph, cores: int) -> int:
    """Of all heaps together, if the cores do nothing but the tasks' work."""
    bytes_of = PEAKS * graph.operations(cores).peak
    return (bytes_of + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def to_file(graph: DrawnGraph, heaps: Heaps, heap_bytes: int, work: int, fills: bool = False) -> bytes:
    """The content of the data file. Tasks take `work` cycles in the mean. `fills`: each byte of a buffer is
    written and checked, else the first and the last one."""
    before = predecessors_of(graph.successors)
    edges = sum(map(len, before))
    header = [MAGIC, VERSION, int(heaps), heap_bytes, int(fills), len(before), edges]
    cycles = (graph.seconds * work).astype(np.int64)
    columns = (graph.sizes, cycles, *_places(graph.successors), *_places(before))
    tasks = np.column_stack(columns)
    lists = [task for numbers in (graph.successors, before) for those in numbers for task in those]
    return b"".join(np.asarray(words, "<u4").tobytes() for words in (header, tasks, lists))


def _places(lists: Successors) -> tuple[np.ndarray, np.ndarray]:
    """Of each list where all are one: its begin, and how long it is."""
    lengths = np.asarray([len(each) for each in lists])
    return np.cumsum(lengths) - lengths, lengths


def run_of(
    simulator: Simulator, cores: Cores, graph: DrawnGraph, heaps: Heaps, work: int, fills: bool = False
) -> TaskRun:
    """Raises CommandError where the program fails."""
    heap_bytes = heap_bytes_for(graph, cores.count)
    content = to_file(graph, heaps, heap_bytes, work, fills)
    options = cores.options(heap_bytes + BESIDE_HEAPS)
    (fields,) = simulator.printed("tasks", content, MEMORY, *options)
    return TaskRun(**fields)
