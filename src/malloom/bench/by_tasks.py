"""Steps measured by tasks on other machines, each alone on the one where it runs; then joined."""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.bench.findings import Failure, Findings
from malloom.bench.joining import findings_of
from malloom.bench.state import Finished, Keeper, read_state
from malloom.bench.steps import Step
from malloom.bench.suite import Prepared
from malloom.cluster.tasks import Tasks
from malloom.errors import CommandError


@dataclass(frozen=True)
class Wanted:
    """A step by its names, of a suite with options, as JSON has them."""

    suite: str
    options: Mapping[str, Any]
    part: str
    what: str


@dataclass(frozen=True)
class Answer:
    """The state of a finished step, as its file has it; or why there is none."""

    state: bytes = b""
    problem: str = ""


def measured_there(wanted: Wanted) -> Answer:
    """The task: a process of its own measures, as signals and limits are a process's."""
    with tempfile.TemporaryDirectory(prefix="malloom-step-") as folder:
        written = Path(folder) / "state.json"
        run = subprocess.run(
            [sys.executable, "-P", "-m", "malloom.bench.one_step", str(written)],
            input=json.dumps(wanted.__dict__),
            capture_output=True,
            text=True,
            check=False,
        )
        if written.exists():
            return Answer(written.read_bytes())
        last = run.stderr.strip().rpartition("\n")[2] or f"it ended with status {run.returncode}"
        return Answer(problem=f"on {socket.gethostname()}: {last.removeprefix('malloom: ')}")


def run_by_tasks(
    suite: str,
    options: Mapping[str, Any],
    prepared: Prepared,
    steps: Sequence[Step],
    keeper: Keeper,
    tasks: Tasks,
    say: Callable[[str], None],
) -> Findings:
    """Measures the steps that the keeper does not have, by one task each; all that was found.

    Raises UsageProblem where they were measured on machines that no table can have together.
    """
    found = [before for step in steps if (before := keeper.before(step))]
    missing = [step for step in steps if not step.concludes and not keeper.before(step)]
    say(f"{len(missing)} steps, each a task, on {tasks.workers} workers")
    work = [Wanted(suite, options, step.part, step.what) for step in missing]
    failures = []
    for done, (number, answer) in enumerate(tasks.ended(measured_there, work), 1):
        step = missing[number]
        say(f"{done} of {len(work)} steps are done: {step.part}, {step.what}")
        if answer.problem:
            failures.append(Failure(step.part, step.what, answer.problem))
            say(f"FAILED: {step.what}: {answer.problem}")
            continue
        finished = _finished(answer.state)
        keeper.keep(finished)
        found.append(finished)
    findings = findings_of(prepared, {each.id: each for each in found})
    findings.failures += failures
    return findings


def _finished(state: bytes) -> Finished:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(state)
        file.flush()
        steps = read_state(Path(file.name)).steps
    if len(steps) != 1:
        raise CommandError(f"a worker has measured {len(steps)} steps in place of one")
    return steps[0]
