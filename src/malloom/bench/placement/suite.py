"""The whole suite, from the workloads to the findings."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from malloom.bench.pairs import Progress, no_progress
from malloom.bench.placement.findings import Failure, Findings
from malloom.bench.placement.plans import Bench
from malloom.bench.placement.scale import full_scale, quick_scale
from malloom.bench.placement.steps import Step, steps_of
from malloom.errors import CommandError


def run(
    workloads: Path,
    quick: bool,
    parts: Sequence[str],
    say: Callable[[str], None],
    progress: Progress = no_progress,
) -> Findings:
    """Measures the parts. What fails is among the findings; an interrupt ends the suite and keeps them."""
    findings = Findings()
    began = time.monotonic()
    steps = steps_of(parts, quick_scale() if quick else full_scale())
    with tempfile.TemporaryDirectory(prefix="malloom-bench-") as folder:
        for number, step in enumerate(steps, 1):
            say(f"{number} of {len(steps)}, {time.monotonic() - began:.0f} s: {step.part}, {step.what}")
            try:
                measure(step, findings, workloads, Path(folder), say, progress)
            except KeyboardInterrupt:
                findings.failures.append(
                    Failure(step.part, step.what, "interrupted; nothing after it was measured")
                )
                break
    return findings


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

    bench = Bench(workloads, scratch, say, left, progress)
    try:
        findings.add(step.part, step.measure(bench))
    except CommandError as error:
        failed(step.what, error)
    except Exception as error:  # whatever it is, hours of numbers must not be lost for it
        failed(step.what, RuntimeError(f"{type(error).__name__}: {error}"))
