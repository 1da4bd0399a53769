"""The steps of a suite, each of which stands alone: one that fails takes nothing with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.goals import Goal
from malloom.bench.workloads import Case
from malloom.measure.interleaved import Progress, no_progress
from malloom.measure.rows import Row


@dataclass(frozen=True)
class Bench:
    """Where the suite finds its workloads, keeps what it makes, and says what it does.

    `failed` is told a variant that cannot be measured, and why; the others go on. `note` is told what the
    reader of the rows should know.
    """

    workloads: Path
    scratch: Path
    say: Callable[[str], None]
    failed: Callable[[str, Exception], None]
    note: Callable[[str], None]
    progress: Progress = no_progress

    def file(self, case: Case, suffix: str) -> Path:
        return self.scratch / f"{case.workload}-{'-'.join(case.arguments)}.{suffix}"


@dataclass(frozen=True)
class Step:
    """Something to measure, and what it is called where it fails.

    `seconds` is how long it is thought to take; 0 where nobody thought. A step that `concludes` only computes
    from what the steps before it measured, and does so after an interrupt too.
    """

    part: str
    what: str
    measure: Callable[[Bench], Sequence[Row | Goal]]
    seconds: float = 0.0
    concludes: bool = False
