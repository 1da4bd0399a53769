"""Random task graphs: nested fork-join, a buffer a task (Lhuillier and Courousse, section 4.1).

The paper says what a graph is, not how it draws one. Here one grows from a single task; what is drawn, and
how, stands in `fork_join` and `sizes_of`, and in `malloom.bench.bins.schedule` how long tasks take.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

TASKS = 512
FEWEST_BRANCHES, MOST_BRANCHES = 2, 8
LEAST_BYTES = 8
"""Of sizes that are drawn by their logarithm."""
FIXED_SIZES = 5

Successors = Sequence[Sequence[int]]
"""Of each task, those that may start when it has ended and all others before them have, too."""


class Sizes(StrEnum):
    """How the bytes of a graph's buffers are drawn, up to a maximum."""

    UNIFORM = "uniform"
    LOG_UNIFORM = "log-uniform"
    FIVE = "five fixed"
    NARROW = "narrow"
    """From seven eighths of the maximum on."""


@dataclass(frozen=True)
class Cell:
    """What a graph of the workload has that is not drawn."""

    workers: int
    sizes: Sizes
    maximum: int
    """Bytes of the largest buffer."""


GRID = tuple(
    Cell(workers, sizes, maximum)
    for maximum in (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
    for sizes in Sizes
    for workers in (16, 64, 256, 1024)
)
STRIDE = 37
"""From a graph's cell to the next one's: no divisor of the grid, so that few graphs lie all over it."""


def cell_of(number: int) -> Cell:
    """Of a graph of the workload: as many graphs, or one more, are of any cell as of another."""
    return GRID[number * STRIDE % len(GRID)]


def generator(seed: int, number: int) -> np.random.Generator:
    """What a graph is drawn with: the same for the same seed and number."""
    return np.random.default_rng([seed, number])


def below(random: np.random.Generator, bound: int) -> int:
    return int(random.random() * bound)


def fork_join(tasks: int, random: np.random.Generator) -> list[list[int]]:
    """A graph of so many tasks: the first one starts all, and one ends all.

    It grows: a task that neither forks nor joins, drawn evenly, becomes a fork of 2 to 8 branches of one
    task each and a join. What is left at the end, one task or two, makes a task two after each other.
    """
    successors: list[list[int]] = [[]]
    plain = [0]
    while len(successors) < tasks:
        at = below(random, len(plain))
        task, plain[at] = plain[at], plain[-1]
        plain.pop()
        room = tasks - len(successors)
        if room <= FEWEST_BRANCHES:
            plain += [task, _append_to(successors, task)]
            continue
        most = min(MOST_BRANCHES, room - 1)
        count = FEWEST_BRANCHES + below(random, most - FEWEST_BRANCHES + 1)
        plain += _fork(successors, task, count)
    return successors


def _append_to(successors: list[list[int]], task: int) -> int:
    """The number of a new task that follows this one alone, and comes before what did so."""
    successors.append(successors[task])
    successors[task] = [len(successors) - 1]
    return len(successors) - 1


def _fork(successors: list[list[int]], task: int, count: int) -> list[int]:
    """The branches between a task and a new one that joins them."""
    join = _append_to(successors, task)
    branches = list(range(join + 1, join + 1 + count))
    successors += [[join] for _ in branches]
    successors[task] = branches
    return branches


def predecessors_of(successors: Successors) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in successors]
    for task, those in enumerate(successors):
        for successor in those:
            found[successor].append(task)
    return found


def sizes_of(cell: Cell, tasks: int, random: np.random.Generator) -> np.ndarray:
    """Bytes of each task's buffer, at least 1 and at most the cell's maximum."""
    drawn = random.random(tasks)
    most = cell.maximum
    if cell.sizes is Sizes.UNIFORM:
        return _whole(1 + drawn * most, most)
    if cell.sizes is Sizes.LOG_UNIFORM:
        return _whole(LEAST_BYTES * (most / LEAST_BYTES) ** drawn, most)
    if cell.sizes is Sizes.NARROW:
        return _whole(most - most / 8 * drawn, most)
    five = _whole(1 + random.random(FIXED_SIZES) * most, most)
    return np.asarray(five[(drawn * FIXED_SIZES).astype(np.int64)])


def _whole(bytes_of: np.ndarray, most: int) -> np.ndarray:
    return np.minimum(bytes_of.astype(np.int64), most)
