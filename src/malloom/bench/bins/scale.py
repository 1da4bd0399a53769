"""How much the suite does: what its goals are set on, or a little of everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.bins.inputs import GRAPHS, Room

LATENCIES = (4, 20)
"""Cycles until memory answers: close to the core, and far from it."""
RANDOM_SIZES = 100_000
LIMITS = {"4K": 4 << 10, "128K": 128 << 10, "1M": 1 << 20}
GRAPH_OF_4096 = 4096
CORES = (
    (1, 1, 1_000),
    (4, 1, 1_000),
    (16, 1, 1_000),
    (16, 16, 1_000),
    (1, 1, 10_000),
    (4, 1, 10_000),
    (16, 1, 10_000),
)
"""Cores, banks of the memory that they share, and cycles of a task in the mean, beside what it does to
buffers. The paper's cluster has up to sixteen cores, and many banks; how long tasks are, it does not say."""


@dataclass(frozen=True)
class BinsScale:
    """Graphs and sizes. None was chosen by its result."""

    judges: bool
    """Whether there are graphs enough for its goals to mean something."""
    latencies: Sequence[int]
    rooms: Sequence[Room]
    graphs: int
    of_functions: int
    """Graphs on which ranges are crossed with functions, and heaps compared with others'."""
    of_where: int
    """Graphs whose cycles are told apart."""
    of_cores: int
    """Graphs that run on several cores."""
    cores: Sequence[tuple[int, int, int]]
    limits: Sequence[str]
    random_sizes: int
    rehashes: int
    pairs: int
    """Of the graph whose bin use is shown."""


def full_scale(latencies: Sequence[int], graphs: int | None) -> BinsScale:
    count = graphs or GRAPHS
    return BinsScale(
        judges=True,
        latencies=latencies or LATENCIES,
        rooms=tuple(Room),
        graphs=count,
        of_functions=min(count, 128),
        of_where=min(count, 32),
        of_cores=min(count, 32),
        cores=CORES,
        limits=tuple(LIMITS),
        random_sizes=RANDOM_SIZES,
        rehashes=9,
        pairs=GRAPH_OF_4096,
    )


def quick_scale(latencies: Sequence[int], graphs: int | None) -> BinsScale:
    """Everything once, small: for the tests. Its numbers judge nothing."""
    count = graphs or 2
    return BinsScale(
        judges=False,
        latencies=latencies or LATENCIES[:1],
        rooms=(Room.TWICE,),
        graphs=count,
        of_functions=min(count, 2),
        of_where=1,
        of_cores=1,
        cores=CORES[1:2],
        limits=("4K",),
        random_sizes=500,
        rehashes=2,
        pairs=512,
    )
