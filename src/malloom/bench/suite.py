"""A suite: its parts, what measures them, and how its findings are shown."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.findings import Failure, Findings, Note
from malloom.bench.steps import Bench, Step
from malloom.bench.tables import Shown
from malloom.errors import CommandError
from malloom.measure.interleaved import Progress, no_progress
from malloom.measure.rows import host


@dataclass(frozen=True)
class Suite:
    """What `malloom bench` measures by one name; `groups` are names for several parts."""

    name: str
    parts: Sequence[str]
    groups: Mapping[str, Sequence[str]]
    steps_of: Callable[[Sequence[str]], list[Step]]
    tables_of: Callable[[Findings], list[Shown]]

    def chosen_parts(self, names: Sequence[str]) -> list[str]:
        """Parts by their names or their groups' names; all where none is named. Raises KeyError."""
        if not names:
            return list(self.parts)
        known = {**{part: (part,) for part in self.parts}, **self.groups}
        wanted = {part for name in names for part in known[name]}
        return [part for part in self.parts if part in wanted]


def run(
    steps: Sequence[Step], workloads: Path, say: Callable[[str], None], progress: Progress = no_progress
) -> Findings:
    """Measures the steps. What fails is among the findings; a signal ends the suite and keeps them."""
    findings = Findings(host(workloads))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="malloom-bench-") as folder:
        for number, step in enumerate(steps, 1):
            if findings.ended_by and not step.concludes:
                continue
            try:
                passed = time.monotonic() - began
                left = _left(steps, number - 1, passed)
                say(f"{number} of {len(steps)}, {passed:.0f} s{left}: {_name(step)}")
                measure(step, findings, workloads, Path(folder), say, progress)
            except (KeyboardInterrupt, SystemExit) as signal:
                findings.ended_by = findings.ended_by or signal
                why = "interrupted; nothing after it was measured"
                findings.failures.append(Failure(step.part, step.what, why))
    return findings


def _name(step: Step) -> str:
    return f"{step.part}, {step.what}"


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

    bench = Bench(workloads, scratch, say, left, noted, progress)
    try:
        findings.add(step.part, step.measure(bench))
    except CommandError as error:
        failed(step.what, error)
    except Exception as error:  # whatever it is, hours of numbers must not be lost for it
        failed(step.what, RuntimeError(f"{type(error).__name__}: {error}"))
