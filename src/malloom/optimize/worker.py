"""Which of the processes that a program starts do its work: cc1 below gcc, python3 below a script."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malloom.launch.program import open_program
from malloom.measure import variants
from malloom.measure.process import Command, Run, TimeLimitReached, run_measured, time_limit
from malloom.measure.service import LoadFailed

ENOUGH = 0.5
"""Share of the CPU time of all processes that the executables with plans have together."""
UNSEEN = 0.2
"""Share of a run's CPU time: more that its processes count than the run are processes nobody waited for."""
LEAST = 0.1
"""Share that each of them has: what is a tenth shorter in less saves less than a hundredth."""
MOST = 3
"""Such executables: each is learned and planned by itself."""
COUNTED = b'{"plan": '
"""How the line begins that each process writes as it ends."""


@dataclass(frozen=True)
class Worker:
    """An executable, by its file name, and its share of the CPU time."""

    name: str
    share: float


def described(workers: Sequence[Worker]) -> str:
    """For people."""
    names = " and ".join(worker.name for worker in workers)
    shares = " and ".join(f"{worker.share:.0%}" for worker in workers)
    return (
        f"{names}, which {'takes' if len(workers) == 1 else 'take'} {shares} of the CPU time of all processes"
    )


def workers_of(program: Command, plain: Run, note: Callable[[str], None]) -> tuple[Worker, ...]:
    """The executables that plans are made for, the busiest first, the program's own alone where that has half
    of the work or no others have. Of a server they are those that its command has started. Work that no run
    shows is noted."""
    own = own_name(program)
    counted = program.with_environment(variants.counted())
    try:
        run = run_measured(counted.limited(time_limit(plain)), kept_of_errors=None)
    except (TimeLimitReached, LoadFailed):
        return (Worker(own, 1.0),)
    used = used_by(run.errors)
    if (unseen := sum(used.values()) - run.cpu_time) > UNSEEN * run.cpu_time:
        note(
            f"{unseen:.1f} s of CPU time are of processes that nobody waited for, as their parent ignores "
            "SIGCHLD: it counts nowhere"
        )
    workers = busiest(used, run.cpu_time)
    if not workers or (workers[0].name == own and workers[0].share >= ENOUGH):
        return (Worker(own, 1.0),)
    return workers


def own_name(program: Command) -> str:
    """The file name of the executable that a command starts, of a script that of what runs it."""
    return open_program(str(program.arguments[0])).binary.resolve().name


def used_by(errors: bytes) -> dict[str, float]:
    """CPU seconds of each executable, by what processes wrote to standard error. Those that end in other ways
    than by exit, as shells, write nothing."""
    used: Counter[str] = Counter()
    for line in errors.splitlines():
        if line.startswith(COUNTED) and (told := _object(line)):
            used[str(told.get("executable", ""))] += int(told.get("cpu_microseconds", 0))
    return {name: took / 1e6 for name, took in used.most_common()}


def busiest(used: Mapping[str, float], seconds: float) -> tuple[Worker, ...]:
    """The executables that took most of so many CPU seconds."""
    if not seconds:
        return ()
    shares = (Worker(name, min(took / seconds, 1.0)) for name, took in used.items() if name)
    workers = [worker for worker in shares if worker.share >= LEAST][:MOST]
    return tuple(workers) if sum(worker.share for worker in workers) >= ENOUGH else ()


def _object(line: bytes) -> dict[str, Any]:
    """Two processes may have written at once."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def workers_of_all(
    programs: Mapping[str, tuple[Command, Run]], say: Callable[[str], None]
) -> tuple[tuple[str, ...], list[str]]:
    """The workers that every input has, by name, and what to note; none where that is the program alone."""
    say("looking which process does the work")
    unseen: list[str] = []
    found = [workers_of(*each, unseen.append) for each in programs.values()]
    own = {own_name(program) for program, _ in programs.values()}
    names = [{worker.name for worker in workers} for workers in found]
    shared = [worker for worker in found[0] if all(worker.name in each for each in names)]
    if {worker.name for worker in shared} <= own:
        shared = []
    notes = [*unseen, f"plans are of {described(shared)}"] if shared else unseen
    if left := sorted(set().union(*names) - {worker.name for worker in shared} - own):
        told = f"on some inputs, not on all, {' and '.join(left)} {'does' if len(left) == 1 else 'do'}"
        notes.append(
            f"{told} much of the work too, without a plan"
            if shared
            else f"plans are of the program itself: {told} the work"
        )
    return tuple(worker.name for worker in shared), notes
