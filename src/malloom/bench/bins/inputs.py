"""The graphs that heaps are given: a graph to judge by, another one of the same cell to learn from, and a
heap of a size."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from malloom.bench.bins.graphs import GRID, TASKS
from malloom.bench.bins.operations import OperationList
from malloom.bench.bins.schedule import graph_operations

GRAPHS = 1000
JUDGED_SEED, LEARNED_SEED = 2012, 7
CLUSTER_BYTES = 128 << 10
"""Of the memory that the paper's sixteen cores share."""
ALIGNMENT = 64


class Room(StrEnum):
    """How large heaps are."""

    TWICE = "2x"
    """Of the peak of what is asked for."""
    CLUSTER = "128K"
    """Where the chunks of the peak fit."""


def most_heap_bytes(room: Room) -> int:
    """Of any graph's heap."""
    largest = max(cell.maximum for cell in GRID)
    return CLUSTER_BYTES if room is Room.CLUSTER else 2 * TASKS * largest


@dataclass(frozen=True, eq=False)
class Input:
    """A graph of the workload in a heap."""

    number: int
    judged: OperationList
    learned: OperationList | None
    """None: the heap learns from what it is judged by, as the paper's does."""
    heap_bytes: int


def in_twice_the_peak(judged: OperationList, number: int = 0) -> Input:
    """A list in a heap of twice its peak, with nothing to learn from."""
    return Input(number, judged, None, _whole(2 * judged.peak))


def _whole(heap_bytes: int) -> int:
    return (heap_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def inputs(count: int, room: Room, learns_elsewhere: bool, first: int = 0) -> Iterator[Input]:
    """Of so many graphs from the first on, those that the room is for."""
    for number in range(first, first + count):
        judged = graph_operations(JUDGED_SEED, number)
        learned = graph_operations(LEARNED_SEED, number) if learns_elsewhere else None
        lists = [judged, *([learned] if learned is not None else [])]
        if room is Room.TWICE:
            heap_bytes = _whole(2 * max(each.peak for each in lists))
        elif max(each.chunk_peak for each in lists) <= CLUSTER_BYTES:
            heap_bytes = CLUSTER_BYTES
        else:
            continue
        yield Input(number, judged, learned, heap_bytes)
