"""What quick lists before a bin heap should keep, by the requests of a run."""

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from malloom.bench.bins.operations import GRANULE, HEAD_BYTES, LEAST_CHUNK, OperationList

COVERED = 0.95
"""Of the requests that quick lists for all sizes without a limit would serve."""
MOST_OBJECTS = 64
"""Of a size: what is kept is memory that nothing else has."""


@dataclass(frozen=True)
class QuickLists:
    """Which requests they serve, and how many objects of a size they keep."""

    most_bytes: int
    most_each: int


def chosen(learned: OperationList) -> QuickLists:
    """The smallest that serve nearly as many requests as the largest would."""
    sizes = sorted({_chunk(size) for size in learned.changes.tolist() if size > 0})
    if not sizes:
        return QuickLists(LEAST_CHUNK, 1)
    served = _served(learned, MOST_OBJECTS)
    wanted = COVERED * sum(served.values())
    sums = np.cumsum([served[size] for size in sizes])
    largest = sizes[int(np.searchsorted(sums, wanted))] if wanted else sizes[0]
    most_each = 1
    while most_each < MOST_OBJECTS and sum(_served(learned, most_each).values()) < wanted:
        most_each *= 2
    return QuickLists(largest - HEAD_BYTES, most_each)


def _chunk(size: int) -> int:
    return max((size + HEAD_BYTES + GRANULE - 1) // GRANULE * GRANULE, LEAST_CHUNK)


def _served(learned: OperationList, most_each: int) -> Counter[int]:
    """Requests that find a kept object, by their chunks' size."""
    kept: defaultdict[int, int] = defaultdict(int)
    served: Counter[int] = Counter()
    for change in learned.changes.tolist():
        size = _chunk(abs(change))
        if change < 0:
            kept[size] = min(kept[size] + 1, most_each)
        elif kept[size]:
            kept[size] -= 1
            served[size] += 1
    return served
