"""A suite: what it offers, and its steps measured one after the other."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from malloom.bench.findings import Failure, Findings, Note
from malloom.bench.pictures import Picture
from malloom.bench.steps import Bench, Step
from malloom.bench.tables import Shown, Table, all_shown
from malloom.errors import CommandError, UsageProblem
from malloom.measure.host import Host
from malloom.measure.interleaved import Progress, no_progress


def _nothing_is_missing(_workloads: Path) -> None:
    """Of a suite that needs nothing but the workloads."""


@dataclass(frozen=True)
class Prepared:
    """A suite as it was asked for: the steps of each part, and what its findings are shown in.

    `last_level` is the size of the cache, in bytes, that inputs are sized by. `facts` stand beside what was
    measured on. `check` is given the workloads' folder, and raises CommandError where something is missing
    without which no step can be measured.
    """

    steps: Mapping[str, Callable[[], Sequence[Step]]]
    tables: Sequence[Table]
    last_level: int = 0
    facts: Sequence[tuple[str, str]] = ()
    check: Callable[[Path], None] = _nothing_is_missing
    pictures: Sequence[Picture] = ()

    def steps_of(self, parts: Sequence[str]) -> list[Step]:
        """In the order of the parts."""
        return [step for part in parts for step in self.steps[part]()]

    def shown(self, findings: Findings) -> list[Shown]:
        return all_shown(self.tables, findings, self.facts)


@dataclass(frozen=True)
class Suite:
    """What `malloom bench` measures by the name of the folder that this stands in, as SUITE in suite.py.

    `parts` are its parts with what each measures, `groups` names for several of them. `prepare` is called
    with `quick`, and with the options that its other parameters declare, as a command of Typer does.
    `problem` is why there is nothing to measure, where the folder's module cannot be loaded.
    """

    summary: str
    parts: Mapping[str, str]
    prepare: Callable[..., Prepared]
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    problem: CommandError | None = None

    def chosen_parts(self, names: Sequence[str]) -> list[str]:
        """Parts by their names or their groups' names; all where none is named. Raises UsageProblem."""
        if not names:
            return list(self.parts)
        known = {**{part: (part,) for part in self.parts}, **self.groups}
        for name in names:
            if name not in known:
                choice = ", ".join([*self.groups, *self.parts])
                raise UsageProblem(f"the suite has no part '{name}'", remedy=f"choose of {choice}")
        wanted = {part for name in names for part in known[name]}
        return [part for part in self.parts if part in wanted]


def run(
    steps: Sequence[Step],
    workloads: Path,
    say: Callable[[str], None],
    progress: Progress = no_progress,
    *,
    host: Host | None = None,
    last_level: int = 0,
) -> Findings:
    """Measures the steps. What fails is among the findings; a signal ends the suite and keeps them."""
    findings = Findings(host or {})
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="malloom-bench-") as folder:
        for number, step in enumerate(steps, 1):
            if findings.ended_by and not step.concludes:
                continue
            try:
                passed = time.monotonic() - began
                left = _left(steps, number - 1, passed)
                say(f"{number} of {len(steps)}, {passed:.0f} s{left}: {step.part}, {step.what}")
                measure(step, findings, workloads, Path(folder), say, progress, last_level)
            except (KeyboardInterrupt, SystemExit) as signal:
                findings.ended_by = findings.ended_by or signal
                why = "interrupted; nothing after it was measured"
                findings.failures.append(Failure(step.part, step.what, why))
    return findings


def _left(steps: Sequence[Step], done: int, passed: float) -> str:
    """How long the rest takes by what was thought of it, and by how well that was thought so far."""
    thought = [sum(step.seconds for step in some) for some in (steps[:done], steps[done:])]
    if thought[1] == 0:
        return ""
    pace = passed / thought[0] if thought[0] else 1.0
    return f", some {max(thought[1] * pace / 60, 1):.0f} min left"


def measure(
    step: Step,
    findings: Findings,
    workloads: Path,
    scratch: Path,
    say: Callable[[str], None],
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
        findings.add(step.part, step.measure(bench), step.last_level or last_level)
    except CommandError as error:
        failed(step.what, error)
    except Exception as error:  # whatever it is, hours of numbers must not be lost for it
        failed(step.what, RuntimeError(f"{type(error).__name__}: {error}"))
