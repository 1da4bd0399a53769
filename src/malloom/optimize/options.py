"""What whoever has a program optimised may choose, and how he is told what happens."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.measure.interleaved import Budget, Progress
from malloom.optimize.memory_limit import MOST_MEMORY


@dataclass(frozen=True)
class Options:
    """What the user may choose: `plan` is where a faster plan is kept.

    `accesses` and `strategy` are None where malloom is to choose. The budget is of the verdict's runs,
    but its seconds are for choosing among the plans as well. `most_memory` is the peak that a plan may have
    against the program's own, where there is a choice.
    """

    plan: Path
    accesses: str | None
    strategy: str | None
    budget: Budget
    compare_output: bool
    demand_success: bool
    most_memory: float = MOST_MEMORY


@dataclass(frozen=True)
class Watcher:
    """Whom to tell: `stage` at each stage's start, `run` before each measured run."""

    stage: Callable[[str], None]
    run: Progress
