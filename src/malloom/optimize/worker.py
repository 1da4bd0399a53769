"""Which of the processes that a program starts does its work: cc1 below gcc, python3 below a script."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from malloom.launch.program import open_program
from malloom.measure import variants
from malloom.measure.process import Command, Run, TimeLimitReached, run_measured, time_limit

ENOUGH = 0.5
"""Share of the CPU time of all processes that the executable which does the work has."""
COUNTED = b'{"plan": '
"""How the line begins that each process writes as it ends."""


@dataclass(frozen=True)
class Worker:
    """An executable, by its file name, and its share of the CPU time."""

    name: str
    share: float

    def __str__(self) -> str:
        return f"{self.name}, which takes {self.share:.0%} of the CPU time of all processes"


def worker_of(program: Command, plain: Run) -> Worker | None:
    """The executable that plans are made for; None where that is the program's own, or none does most of the
    work. Of a server that is not asked: its workers are what it is."""
    if program.client is not None:
        return None
    counted = program.with_environment(variants.counted())
    try:
        run = run_measured(counted.limited(time_limit(plain)))
    except TimeLimitReached:
        return None
    own = open_program(str(program.arguments[0])).binary.resolve().name
    worker = busiest(run.errors, run.cpu_time)
    return worker if worker and worker.name != own else None


def busiest(errors: bytes, seconds: float) -> Worker | None:
    """The executable that took most of so many CPU seconds, by what processes wrote to standard error. Those
    that end in other ways than by exit, as shells, write nothing."""
    used: Counter[str] = Counter()
    for line in errors.splitlines():
        if line.startswith(COUNTED) and (told := _object(line)):
            used[str(told.get("executable", ""))] += int(told.get("cpu_microseconds", 0))
    if not used or not seconds:
        return None
    name, most = used.most_common(1)[0]
    share = min(most / 1e6 / seconds, 1.0)
    return Worker(name, share) if name and share >= ENOUGH else None


def _object(line: bytes) -> dict[str, Any]:
    """Two processes may have written at once."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def worker_of_all(
    programs: Mapping[str, tuple[Command, Run]], say: Callable[[str], None]
) -> tuple[str | None, list[str]]:
    """The worker of every input, where it is one, and what to note."""
    say("looking which process does the work")
    found = [worker_of(*each) for each in programs.values()]
    names = {worker.name if worker else None for worker in found}
    if len(names) > 1:
        told = " and ".join(sorted(str(name) for name in names if name))
        return None, [f"plans are of the program itself: on some inputs, not on all, {told} does the work"]
    worker = found[0]
    return (worker.name, [f"plans are of {worker}"]) if worker else (None, [])
