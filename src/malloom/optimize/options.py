"""What whoever has a program optimised may choose, and how he is told what happens."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from malloom.measure.interleaved import Budget, Progress
from malloom.measure.process import TIME_LIMIT
from malloom.optimize.goal import MOST_MEMORY, Goal
from malloom.optimize.settings import FOLDERS


@dataclass(frozen=True)
class Options:
    """What the user may choose: `plan` is where what is chosen is kept.

    `accesses` and `strategy` are None where malloom is to choose; with a strategy nothing else is tried. The
    budget is of the verdict's runs, but its seconds are for the race as well. `most_memory` is the peak that
    a choice may have against the program's own. `timeout` are the seconds of a run in which nothing is known
    of the program yet, `allocators` where those lie that the source tree builds. `best_plan` is where the
    best plan of the race goes as well, kept or not. `build` is the command that builds the program, with
    placeholders for its compilers, or None. `scheduler` is that of Dask's by which strategies are simulated,
    or None. With a `fleet` its plans race, and nothing is learned of the inputs.
    """

    plan: Path
    accesses: str | None
    strategy: str | None
    budget: Budget
    compare_output: bool
    demand_success: bool
    most_memory: float = MOST_MEMORY
    goal: Goal = Goal.time
    timeout: float = TIME_LIMIT
    allocators: tuple[Path, ...] = FOLDERS
    best_plan: Path | None = None
    build: str | None = None
    scheduler: str | None = None
    fleet: Path | None = None

    @property
    def choice(self) -> Path:
        """Where the policies of a build are kept."""
        return self.plan.with_suffix(".choice")


@dataclass
class Watcher:
    """Whom to tell: `show` of each step's start and of what it does, `run` before each measured run, `done`
    when all is measured and something else is printed. `text` is what was said last.

    Steps are numbered, with the time gone and, once that is known, the time that is still expected.
    """

    show: Callable[[str], None]
    run: Progress
    steps: int = 0
    done: Callable[[], None] = lambda: None
    began: float = field(default_factory=time.monotonic)
    text: str = ""
    _number: int = 0
    _expected: dict[str, float] = field(default_factory=dict)
    _to_come: float = 0.0
    _step_began: float = field(default_factory=time.monotonic)

    def expect(self, seconds: dict[str, float]) -> None:
        """How long each of the steps to come is thought to take, by its name."""
        self._expected = dict(seconds)

    def step(self, name: str, text: str) -> None:
        """A step begins."""
        self._number += 1
        self._to_come = sum(self._expected.values())
        self._step_began = time.monotonic()
        # Those before it are over, or were left out.
        names = list(self._expected)
        for gone in names[: names.index(name) + 1] if name in names else ():
            del self._expected[gone]
        self.text = text
        self.show(f"{self.position}: {text}")

    def say(self, text: str) -> None:
        """What a step does next."""
        self.text = text
        self.show(text)

    @property
    def position(self) -> str:
        """Which step it is, the time gone and the time expected, now."""
        to_come = self._to_come - (time.monotonic() - self._step_began)
        expected = f", some {max(to_come, 0.0):.0f} s to come" if self._to_come else ""
        return f"step {self._number} of {self.steps}, {self.gone:.0f} s gone{expected}"

    @property
    def gone(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began
