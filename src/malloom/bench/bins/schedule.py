"""A task graph as it runs on some workers: the order of its allocations and releases."""

from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from malloom.bench.bins.graphs import (
    TASKS,
    Cell,
    Successors,
    cell_of,
    fork_join,
    generator,
    predecessors_of,
    sizes_of,
)
from malloom.bench.bins.operations import OperationList


@dataclass(frozen=True)
class Event:
    """A task's buffer is allocated, or released."""

    task: int
    is_allocation: bool


@dataclass
class _Execution:
    """What has happened so far. A task starts when all its predecessors have ended, in the order in which
    this becomes true, and on a worker that is free."""

    successors: Successors
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.predecessors = predecessors_of(self.successors)
        self.not_ended = [len(those) for those in self.predecessors]
        self.not_started = [len(those) for those in self.successors]
        self.ready = deque(task for task, count in enumerate(self.not_ended) if count == 0)

    def start(self, task: int) -> None:
        """It has its own buffer before those that no other task waits for are released."""
        self.events.append(Event(task, True))
        for before in self.predecessors[task]:
            self.not_started[before] -= 1
            if self.not_started[before] == 0:
                self.events.append(Event(before, False))

    def end(self, task: int) -> None:
        for successor in self.successors[task]:
            self.not_ended[successor] -= 1
            if self.not_ended[successor] == 0:
                self.ready.append(successor)
        if not self.successors[task]:
            self.events.append(Event(task, False))


def events_of(successors: Successors, workers: int, seconds: np.ndarray) -> list[Event]:
    """What tasks that take so long do to their buffers: a task's is allocated when it starts, and released
    when all its successors have started; that of the last one when it ends."""
    execution = _Execution(successors)
    running: list[tuple[float, int]] = []
    now = 0.0
    while execution.ready or running:
        while execution.ready and len(running) < workers:
            task = execution.ready.popleft()
            execution.start(task)
            heappush(running, (now + float(seconds[task]), task))
        now, task = heappop(running)
        execution.end(task)
    return execution.events


def operation_list(events: list[Event], sizes: np.ndarray) -> OperationList:
    """Each buffer in the lowest slot that is free."""
    slot_of: dict[int, int] = {}
    free: list[int] = []
    used = 0
    slots, changes = [], []
    for event in events:
        if event.is_allocation:
            slot_of[event.task] = heappop(free) if free else used
            used = max(used, slot_of[event.task] + 1)
        else:
            heappush(free, slot_of[event.task])
        slots.append(slot_of[event.task])
        changes.append(int(sizes[event.task]) * (1 if event.is_allocation else -1))
    return OperationList(np.asarray(slots), np.asarray(changes))


@dataclass(frozen=True, eq=False)
class DrawnGraph:
    """What is drawn of a graph. Tasks take times that are distributed exponentially, so that some are
    overtaken by many."""

    successors: Successors
    sizes: np.ndarray
    """Bytes of each task's buffer."""
    seconds: np.ndarray
    """That each task takes; 1 in the mean."""

    def operations(self, workers: int) -> OperationList:
        return operation_list(events_of(self.successors, workers, self.seconds), self.sizes)


def drawn_in(cell: Cell, random: np.random.Generator, tasks: int = TASKS) -> DrawnGraph:
    successors = fork_join(tasks, random)
    sizes = sizes_of(cell, tasks, random)
    return DrawnGraph(successors, sizes, -np.log1p(-random.random(tasks)))


def operations_in(cell: Cell, random: np.random.Generator, tasks: int = TASKS) -> OperationList:
    """Of a graph that is drawn, on the cell's workers."""
    return drawn_in(cell, random, tasks).operations(cell.workers)


def graph_operations(seed: int, number: int) -> OperationList:
    """Of a graph of the workload, whose cell of the grid is that of its number."""
    return operations_in(cell_of(number), generator(seed, number))
