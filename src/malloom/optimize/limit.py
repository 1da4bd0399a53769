"""Which row is best, and which may be chosen, by its training runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from malloom.measure.process import Run
from malloom.optimize.goal import MOST_MEMORY, Goal
from malloom.optimize.training import Measured

ALLOWANCE = 2 << 20
"""Bytes. However little the program needs, the run time and the first pages of pools take some 0.8 MiB."""
AS_QUICK = 1.02
"""Of the program's CPU time, in few runs: no slower as far as these can tell. Check inputs tell it better."""
AS_QUICK_AT_FIRST = 1.15
"""The same of fewer runs than rows have that end, as the program itself may have been lucky in these."""


def score(goal: Goal, measured: Measured) -> float:
    """A ratio to the program as it is, over all inputs; the least is best."""
    return math.exp(float(np.mean([math.log(measured.mean(metric)) for metric in goal.metrics])))


def rank(goal: Goal, measured: Measured) -> tuple[bool, float]:
    """Least where a row is best; what left early, by few runs that may have been lucky, is behind."""
    return not measured.is_whole, score(goal, measured)


@dataclass
class Limit:
    """What a row may need to be chosen: `most` times the program's own peak memory on each input, or
    `allowance` bytes more; and for less memory, no more time.

    `refused` has the peak memory of those that need more, `slower` the CPU time of those that take more,
    both against the program's own.
    """

    goal: Goal = Goal.time
    most: float = MOST_MEMORY
    allowance: int = ALLOWANCE
    refused: dict[str, float] = field(default_factory=dict)
    slower: dict[str, float] = field(default_factory=dict)

    def allows(self, name: str, measured: Measured) -> bool:
        """Whether a row may be chosen by its training runs."""
        self.slower.pop(name, None)
        time = measured.mean("cpu_time")
        if self.goal is Goal.memory and time > (AS_QUICK if measured.is_whole else AS_QUICK_AT_FIRST):
            self.slower[name] = time
            return False
        peaks = {each: _peak(runs) for each, runs in measured.runs.items()}
        own = {each: _peak(runs) for each, runs in measured.beside.items()}
        if all(self.is_within(peaks[each], own[each]) for each in peaks):
            self.refused.pop(name, None)
            return True
        self.refused[name] = max(peaks[each] / own[each] for each in peaks)
        return False

    def why_refused(self, name: str) -> str:
        """Why the training runs do not let a row be kept; empty where they do."""
        if name in self.refused:
            ratio = f"{self.refused[name]:.2f} of the program's peak memory"
            return f"it needs {ratio} on a training input, more than {self.most:.2f}"
        if name in self.slower:
            return f"it takes {self.slower[name]:.3f} of the program's CPU time on the training inputs"
        return ""

    def is_within(self, peak: float, own: float) -> bool:
        """Bytes of a row's peak, and of the program's own."""
        return peak <= max(self.most * own, own + self.allowance)


def _peak(runs: Sequence[Run]) -> float:
    return float(np.median([run.peak_memory for run in runs]))
