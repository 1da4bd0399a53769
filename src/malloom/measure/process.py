"""One measured run of a program: whole-process CPU time, peak memory, named phases, and what it printed."""

import hashlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from malloom.errors import CommandError
from malloom.launch import ignored_signals
from malloom.measure.service import Client, Load, LoadFailed, load
from malloom.native_files import native_file
from malloom.temporary import require_room

NUMBER = rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
REPORTED = re.compile(rb"^(?:measure|phase|resident) (\w+) (" + NUMBER + rb")\s*$", re.MULTILINE)
"""What a program says of itself: `measure NAME VALUE`. Programs of former commits, which are measured
beside those at hand, say `phase` of times and `resident` of bytes."""

METRICS = ("cpu_time", "wall_time", "peak_memory", "mean_memory")
"""What every run is asked of: seconds and bytes."""

TIME_LIMIT = 600.0
"""Seconds: no measured run takes as long, so one that does hangs."""
ENDING = 6.0
"""Seconds in which a launcher that is asked to ends all that it has started."""
KEPT_OF_ERRORS = 64 << 10
"""Bytes of what a run writes to standard error that are kept, the last ones: there are hundreds of runs."""


@dataclass(frozen=True)
class Command:
    """A program, its arguments, and the variables that this way of running it adds to the environment. A
    server has a client, with whose end it is to end."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: Path | None = None
    time_limit: float = TIME_LIMIT
    """Seconds after which a run is ended, with all the processes that it has started."""
    client: Client | None = None

    def with_environment(self, added: Mapping[str, str]) -> "Command":
        return replace(self, environment={**self.environment, **added})

    def limited(self, seconds: float) -> "Command":
        return replace(self, time_limit=seconds)


class TimeLimitReached(CommandError):
    """A run did not end in its time and was ended."""


@dataclass(frozen=True)
class Run:
    """What one run used. Times in seconds, memory in bytes; `status` is wait(2)'s.

    `measures` are what the program itself reported by name: seconds of a phase, bytes, cycles, misses.
    `mean_memory` is the resident memory over the run's time, of the process that was started alone; the peak
    where that ended too soon to be looked at. Of a server the wall time is its client's, and what the client
    printed is in the place of the measures.
    """

    status: int
    user_time: float
    system_time: float
    wall_time: float
    peak_memory: int
    measures: Mapping[str, float]
    output_digest: str
    errors: bytes
    mean_memory: int = 0

    @property
    def cpu_time(self) -> float:
        return self.user_time + self.system_time

    def metric(self, name: str) -> float:
        """One of METRICS, or what the program reported under the name."""
        if name in METRICS:
            return float(getattr(self, name))
        if name not in self.measures:
            raise CommandError(f"the program reported no measure named {name}")
        return self.measures[name]


def time_limit(run: Run, least: float = 60.0, times: float = 20.0) -> float:
    """Seconds after which a run hangs that does what another did, in no more than so many times its time."""
    return max(least, times * run.wall_time)


def run_measured(command: Command, ready: int = 0, kept_of_errors: int | None = KEPT_OF_ERRORS) -> Run:
    """Runs a command to its end. Its standard output is digested, not shown; so many of the last bytes of its
    standard error are kept, None: all.

    So many bytes of memory are made `ready` before: they were in use a moment ago, so that no run waits for
    memory that a virtual machine has given back to its host meanwhile.

    Raises CommandError where it cannot be started, TimeLimitReached where it does not end, and LoadFailed
    where a server cannot be loaded; a program that fails is a Run whose status is not 0.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            report, loaded = _spawn(command, ready, output.fileno(), errors.fileno())
        except LoadFailed as problem:
            raise _with_words(problem, errors) from None
        # Of two outputs that are cut off, what is left may be alike.
        require_room(output)
        output.seek(0)
        errors.seek(0)
        digest = hashlib.file_digest(output, "blake2b").hexdigest()
        run = _run_from(report, digest, errors.read())
    if kept_of_errors is not None:
        run = replace(run, errors=run.errors[-kept_of_errors:])
    if loaded is None:
        return run
    return replace(run, wall_time=loaded.seconds, measures=loaded.figures)


def _with_words(problem: LoadFailed, errors: IO[bytes]) -> LoadFailed:
    """The problem, with the last line that the server wrote."""
    errors.seek(0)
    words = last_line(errors.read()[-KEPT_OF_ERRORS:].decode(errors="replace"))
    return LoadFailed(f"{problem}; the server's last words: {words}") if words else problem


def good_statuses(command: Command) -> tuple[int, ...]:
    """Those of wait(2) with which it works: a server need not take care of the signal by which it is asked to
    end."""
    return (0,) if command.client is None else (0, int(signal.SIGTERM))


def last_words(run: Run) -> str:
    """The last line that a run wrote to standard error."""
    return last_line(run.errors.decode(errors="replace"))


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def users_environment() -> dict[str, str]:
    """The environment without what malloom has told itself, and without the LC_CTYPE that Python may have set
    (PEP 538)."""
    environment = {name: value for name, value in os.environ.items() if name != ignored_signals.VARIABLE}
    began_with = Path("/proc/self/environ").read_bytes().split(b"\0")
    if not any(entry.startswith(b"LC_CTYPE=") for entry in began_with):
        environment.pop("LC_CTYPE", None)
    return environment


def run_in_time(
    launcher: Sequence[str],
    command: Command,
    beside: Callable[["subprocess.Popen[bytes]"], None] | None = None,
    **options: Any,
) -> int:
    """Runs a launcher of the command to its end, in a session of its own, and something beside it; its exit
    status.

    Whatever ends the wait early, the time limit or an interrupt, ends what it has started, first by SIGTERM.
    What is left of its session is ended in any case: workers of a server would else have what the next run
    needs.
    """
    with subprocess.Popen(launcher, start_new_session=True, **options) as process:
        try:
            if beside is not None:
                beside(process)
            return process.wait(command.time_limit)
        except subprocess.TimeoutExpired:
            remedy = "does it wait for something, or run for ever?"
            raise TimeLimitReached(
                f"'{shlex.join(command.arguments)}' did not end within {command.time_limit:.0f} s",
                remedy=remedy,
            ) from None
        finally:
            if process.poll() is None:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(ENDING)
            _end_session(process.pid)


def _end_session(session: int) -> None:
    """Ends its processes, those in groups of their own too."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    for path in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if os.getsid(process := int(path.name)) == session:
                os.kill(process, signal.SIGKILL)


@dataclass(frozen=True)
class Ended:
    """How a command ended that is not measured, and what it wrote, to be read from the beginning."""

    status: int
    """The exit status, or the number of the signal that ended it, negative."""
    output: IO[str]
    errors: IO[str]


@contextmanager
def ended(command: Command, prefix: Sequence[str] = ()) -> Iterator[Ended]:
    """Runs a command, as the argument of what executes it where there is a prefix, to its end and without
    input. Raises TimeLimitReached."""
    launcher = [*prefix, *command.arguments]
    with _text_file() as output, _text_file() as errors:
        environment = {**os.environ, **command.environment}
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors}
        status = run_in_time(launcher, command, env=environment, **streams)
        output.seek(0)
        errors.seek(0)
        yield Ended(status, output, errors)


def _text_file() -> IO[str]:
    """A temporary one; a program may write what is no text."""
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")


def _spawn(command: Command, ready: int, output: int, errors: int) -> tuple[list[int], Load | None]:
    variables = [f"{name}={value}" for name, value in command.environment.items()]
    loads: list[Load] = []
    client, limit = command.client, command.time_limit
    beside = (lambda server: loads.append(load(server, client, limit))) if client else None
    read_end, write_end = os.pipe()
    measure = [str(native_file("malloom_measure")), str(write_end), str(ready // 1024)]
    launcher = [*measure, *variables, "--", *command.arguments]
    with os.fdopen(read_end, "rb") as report, (command.stdin or Path(os.devnull)).open("rb") as stdin:
        streams = {"stdin": stdin, "stdout": output, "stderr": errors}
        try:
            run_in_time(launcher, command, beside, env=users_environment(), pass_fds=[write_end], **streams)
        finally:
            os.close(write_end)
        fields = report.read().split()
    if len(fields) != 6:
        reason = os.strerror(int(fields[1])) if len(fields) == 2 else "the launcher died"
        raise CommandError(f"cannot run {command.arguments[0]}: {reason}")
    return [int(value) for value in fields], next(iter(loads), None)


def _run_from(report: list[int], digest: str, errors: bytes) -> Run:
    status, user, system, peak, wall, mean = report
    measures = {name.decode(): float(value) for name, value in REPORTED.findall(errors)}
    times = user * 1e-6, system * 1e-6, wall * 1e-9
    return Run(status, *times, peak * 1024, measures, digest, errors, (mean or peak) * 1024)
