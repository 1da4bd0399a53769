"""What recording an event takes on this machine, which budgets are kept by."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from malloom.errors import CommandError
from malloom.launch.recording import Accesses, RecordingOptions, create, recording_environment, take_in

OBJECTS = 50_000
PAIRS = 3
"""Of runs, of which the median counts."""
PROGRAM = f"x = [bytes(100) for _ in range({OBJECTS})]"
LEAST = 20e-9
"""Seconds: a measurement below is one that something else disturbed."""


def seconds_per_event(depth: int) -> float:
    """CPU time: what a program that only asks and frees takes more when it is recorded, for each event."""
    with tempfile.TemporaryDirectory(prefix="malloom-cost-") as folder:
        found = sorted(_measured(Path(folder), depth) for _ in range(PAIRS))
    return max(found[PAIRS // 2], LEAST)


def _measured(folder: Path, depth: int) -> float:
    options = RecordingOptions(folder / "profile", Accesses.none, 0, depth, True)
    plain = _cpu_time({**os.environ})
    create(options.output, force=True)
    recorded = _cpu_time(recording_environment(options.output, options))
    events = int(take_in(options.output, options, finish=True)["events"])
    if events < OBJECTS:
        raise CommandError("what recording costs cannot be measured: Python's requests are not recorded")
    return (recorded - plain) / events


def _cpu_time(environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-S", "-c", PROGRAM]
    subprocess.run(command, env={**environment, "PYTHONMALLOC": "malloc"}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
