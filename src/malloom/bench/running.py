"""Steps measured one after the other: what one finds is kept at once, and what is missing is told."""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from malloom.bench.findings import Failure, Findings, LeftOut, Note
from malloom.bench.goals import Goal
from malloom.bench.pace import Pace
from malloom.bench.room import lack_of_room
from malloom.bench.sound import problem_of_goal, problem_of_row
from malloom.bench.state import Finished, Keeper, finished
from malloom.bench.steps import Bench, Found, Step
from malloom.errors import CommandError
from malloom.measure.host import Host
from malloom.measure.interleaved import Progress, no_progress
from malloom.measure.rows import Place

Say = Callable[[str], None]
INTERRUPTED = "interrupted; nothing after it was measured"


def run(
    steps: Sequence[Step],
    workloads: Path,
    say: Say,
    progress: Progress = no_progress,
    *,
    host: Host | None = None,
    last_level: int = 0,
    keeper: Keeper | None = None,
    minutes: float = math.inf,
) -> Findings:
    """Measures the steps that the keeper does not have from an earlier run. What fails is among the findings;
    a signal ends the suite and keeps them. A step that would not end within the minutes is left for a later
    run."""
    with tempfile.TemporaryDirectory(prefix="malloom-bench-") as folder:
        running = _Running(
            steps, workloads, Path(folder), say, progress, Findings(host or {}), last_level, keeper, minutes
        )
        for number, step in enumerate(steps, 1):
            running.go_on(number, step)
    running.tell_postponed()
    return running.findings


@dataclass
class _Running:
    """A suite on its way."""

    steps: Sequence[Step]
    workloads: Path
    scratch: Path
    say: Say
    progress: Progress
    findings: Findings
    last_level: int
    keeper: Keeper | None
    minutes: float
    began: float = field(default_factory=time.monotonic)
    pace: Pace = field(default_factory=Pace)
    postponed: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        for before in self.keeper.state.steps if self.keeper else ():
            self.pace.learn(before.part, before.thought, before.seconds)

    def go_on(self, number: int, step: Step) -> None:
        """The step by its number, unless a signal has ended the suite."""
        if self.findings.ended_by and not step.concludes:
            return
        try:
            self._take_over_or_measure(number, step)
        except (KeyboardInterrupt, SystemExit) as signal:
            self.findings.ended_by = self.findings.ended_by or signal
            self.findings.failures.append(Failure(step.part, step.what, INTERRUPTED))
            if self.keeper:
                self.keeper.write_again()

    def _take_over_or_measure(self, number: int, step: Step) -> None:
        if before := self._before(step):
            self.findings.take_over(before.findings())
            self.findings.hosts += [before.host] if before.host not in self.findings.hosts else []
        elif lack := lack_of_room(step.memory, step.disk, self.scratch):
            self.findings.left_out.append(LeftOut(step.part, step.what, lack))
            self.say(f"{number} of {len(self.steps)}: {step.part}, {step.what}: {lack}")
        elif not step.concludes and self._passed() + self.pace.expected(step) > 60 * self.minutes:
            self.postponed.append(step)
        else:
            self._measure(number, step)

    def _measure(self, number: int, step: Step) -> None:
        passed = self._passed()
        left = self._left(number)
        self.say(f"{number} of {len(self.steps)}, {passed:.0f} s{left}: {step.part}, {step.what}")
        host = self.findings.measured_on if step.concludes else self.findings.host
        found = Findings(host)
        before = _gathered(step)
        try:
            measure(step, found, self.workloads, self.scratch, self.say, self.progress, self.last_level)
        finally:
            self.findings.take_over(found)
        seconds = self._passed() - passed
        self.pace.learn(step.part, step.seconds, seconds)
        if self.keeper and not step.concludes:
            after = _gathered(step)
            gathered = [place for place in after if after[place] is not before.get(place)]
            self._keep(self.keeper, finished(step, found, seconds, gathered))

    def _keep(self, keeper: Keeper, step: Finished) -> None:
        if step.is_empty:
            return
        try:
            keeper.keep(step)
        except CommandError as error:
            self.say(f"note: finished steps are not kept: {error}")

    def _before(self, step: Step) -> Finished | None:
        return self.keeper.before(step) if self.keeper else None

    def _passed(self) -> float:
        return time.monotonic() - self.began

    def _left(self, number: int) -> str:
        """How long the rest takes, the step of that number with it."""
        rest = [step for step in self.steps[number - 1 :] if not self._before(step)]
        if all(step.seconds == 0 for step in rest):
            return ""
        return f", some {max(sum(map(self.pace.expected, rest)) / 60, 1):.0f} min left"

    def tell_postponed(self) -> None:
        """What did not fit into the minutes, a line a part."""
        for part in dict.fromkeys(step.part for step in self.postponed):
            steps = [step for step in self.postponed if step.part == part]
            why = f"not measured yet: they would not end within --minutes {self.minutes:g}"
            self.findings.left_out.append(LeftOut(part, f"{len(steps)} steps", why))
            long = [step.what for step in steps if self.pace.expected(step) > 60 * self.minutes]
            self.say(f"{part}: {len(steps)} steps are left; the same command with --resume goes on")
            if long:
                self.say(f"note: longer than --minutes {self.minutes:g} by themselves: {', '.join(long)}")


def measure(
    step: Step,
    findings: Findings,
    workloads: Path,
    scratch: Path,
    say: Say,
    progress: Progress = no_progress,
    last_level: int = 0,
) -> None:
    """One step; its failure, or that of one of its variants, is noted and said."""

    def failed(what: str, error: Exception) -> None:
        findings.failures.append(Failure(step.part, what, str(error)))
        say(f"FAILED: {what}: {error}")

    def left(variant: str, error: Exception) -> None:
        failed(f"{step.what}, {variant}", error)

    def noted(note: str) -> None:
        findings.notes.append(Note(step.part, step.what, note))
        say(f"note: {note}")

    bench = Bench(workloads, scratch, say, left, noted, progress, step.what)
    try:
        findings.add(step.part, _sound(step.measure(bench)), step.last_level or last_level)
    except CommandError as error:
        failed(step.what, error)
    except Exception as error:  # whatever it is, hours of numbers must not be lost for it
        failed(step.what, RuntimeError(f"{type(error).__name__}: {error}"))


def _gathered(step: Step) -> dict[Place, Any]:
    """What it and the steps before it have gathered so far."""
    return {} if step.gathers is None else dict(step.gathers)


def _sound(found: Found) -> Found:
    """The same. Raises CommandError for a row that no measurement gives, or no file of JSON can hold."""
    for each in found:
        if problem := problem_of_goal(each) if isinstance(each, Goal) else problem_of_row(each):
            raise CommandError(problem)
    return found
