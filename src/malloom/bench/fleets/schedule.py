"""A model of tasks on workers, which is checked on few and then says what many would take."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A command takes `fixed` seconds for itself, and then as long as the worker that is done last, or
    `dispatch` seconds for each task where that is more. A worker takes `reading` seconds before its first
    task."""

    fixed: float
    dispatch: float
    reading: float

    def seconds(self, tasks: Sequence[float], workers: int) -> float:
        """Of tasks that take so many seconds each, in their order, each to the worker that is free first."""
        free = [self.reading] * min(workers, len(tasks))
        for task in tasks:
            heapq.heapreplace(free, free[0] + task)
        return self.fixed + max(self.dispatch * len(tasks), max(free, default=0.0))
