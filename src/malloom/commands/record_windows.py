"""`malloom record --for`, `--every`, `--on-demand`, `--pid`: recording for a time, while the program runs."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from malloom.commands.record import DEPTH
from malloom.errors import CommandError, UsageProblem
from malloom.launch.child import SignalsHeld
from malloom.launch.cpu_time import cpu_seconds, is_running
from malloom.launch.event_cost import seconds_per_event
from malloom.launch.ignored_signals import to_default
from malloom.launch.program import Program
from malloom.launch.recording import Accesses, RecordingOptions, recorded_command, remove
from malloom.launch.schedule import Closed, Schedule, Spending, Wanted
from malloom.launch.stepping import Stepping
from malloom.launch.windows import Windows, base_of_process, control_file, create_control, is_control
from malloom.measure.signals import ended_in_order
from malloom.output_file import check_new, check_output, check_replaced
from malloom.quantities import counted, format_size

TABLE = 0.5
"""Seconds between two looks whether a table is made."""
FIRST_TABLE, FIRST_TABLE_EVENT = 3.0, 5e-6
"""What the first table is expected to take, as a multiple of what this command took to start (2.4 was
measured), and CPU seconds for each event: limits of caution, until one has been made."""


@dataclass
class Output:
    """Where what windows recorded goes: a profile or table for one window, a folder of tables for many."""

    place: Path
    name: str
    """Of the program, for tables' names."""
    tables: bool
    anonymous: bool
    many: bool
    as_json: bool = False
    """Each window is told of as one JSON object, on a line of its own."""
    making: list[tuple[subprocess.Popen[bytes], Closed, Path]] = field(default_factory=list)
    made: list[tuple[float, int]] = field(default_factory=list)
    """Of the tables that nobody has learned from yet: CPU seconds, and events."""
    spent: float = 0.0
    """CPU seconds of the processes that made tables."""
    failed: bool = False

    def take(self, closed: Closed) -> None:
        """Keeps a window's profile, or begins to make a table of it, in a process of its own."""
        if closed.state["limit_reached"] or closed.state["write_failed"]:
            why = "reached --max-size" if closed.state["limit_reached"] else "could not be written to its end"
            _tell(f"the window's profile {why}, and is good up to there")
            self.failed = True
        if closed.sampled is not None and closed.sampled.problem:
            _tell(f"no accesses were sampled: {closed.sampled.problem}")
            self.failed = True
        if not closed.state["events"]:
            # Nobody asked for memory, or the program may not write where the window lies any more.
            self._say(closed, None)
            remove(closed.profile)
            return
        if not self.tables:
            shutil.move(closed.profile, self.place)
            self._say(closed, self.place)
            return
        place = self.place / self._table_name() if self.many else self.place
        command = [
            sys.executable,
            "-P",
            "-m",
            "malloom.commands.record_tables",
            str(closed.profile),
            str(place),
        ]
        command += [str(closed.cpu_time), str(closed.recorded_cpu_time), *["--anonymous"] * self.anonymous]
        self.making.append((subprocess.Popen(command, stdin=subprocess.DEVNULL), closed, place))

    def give_up(self) -> None:
        """Leaves no profile behind whose table is not made yet."""
        for process, closed, _ in self.making:
            process.terminate()
            process.wait()
            remove(closed.profile)
        self.making.clear()

    def _table_name(self) -> str:
        return f"{self.name}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}.parquet"

    def look(self, wait: bool = False) -> None:
        """Takes in the tables that are made."""
        for making in list(self.making):
            process, closed, place = making
            ended, status, used = os.wait4(process.pid, 0 if wait else os.WNOHANG)
            if not ended:
                continue
            process.returncode = os.waitstatus_to_exitcode(status)
            self.making.remove(making)
            self.made.append((used.ru_utime + used.ru_stime, int(closed.state["events"])))
            self.spent += used.ru_utime + used.ru_stime
            remove(closed.profile)
            self.failed |= process.returncode != 0
            if process.returncode == 0:
                self._say(closed, place)

    def _say(self, closed: Closed, place: Path | None) -> None:
        """`place` is where it lies; None where it recorded nothing."""
        if self.as_json:
            _write(json.dumps(_as_data(closed, place)))
        elif place is None:
            _tell("a window recorded nothing")
        else:
            _say(closed, place)


def _as_data(closed: Closed, place: Path | None) -> dict[str, object]:
    """What a window recorded, for machines. `profile` is None where that was nothing, `file_bytes` where the
    file is gone already, `accesses` where none were wanted."""
    return {
        "profile": str(place) if place else None,
        "events": int(closed.state["events"]),
        "accesses": None if closed.sampled is None else closed.sampled.accesses,
        "cpu_time_seconds": closed.recorded_cpu_time / 1e9,
        "file_bytes": place.stat().st_size if place and place.exists() else None,
        "reached_max_size": bool(closed.state["limit_reached"]),
    }


def _say(closed: Closed, place: Path) -> None:
    size = format_size(place.stat().st_size) if place.exists() else "gone already"
    sampled = "" if closed.sampled is None else f" and {counted(closed.sampled.accesses, 'access', 'es')}"
    _tell(
        f"recorded {counted(int(closed.state['events']), 'event')}{sampled} in "
        f"{closed.recorded_cpu_time / 1e9:.2f} s of CPU time; {place}: {size}"
    )


def _tell(text: str) -> None:
    _write(f"malloom: {text}")


def _write(line: str) -> None:
    """Whether anybody hears it does not matter to the program."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def check_place(place: Path, wanted: Wanted, tables: bool, force: bool) -> None:
    """Raises where what is recorded cannot be written there."""
    if wanted.every is not None:
        if not tables:
            raise UsageProblem("--every makes a table for each window", remedy="add --tables")
        if not place.is_dir():
            raise UsageProblem(f"{place} is no folder", remedy="with --every, -o is a folder for the tables")
        return
    check_output(place)
    if not force:
        check_new(place)
    check_replaced(place, "table of a host" if tables else "profile")


def record_in_windows(
    program: Program, command: list[str], options: RecordingOptions, wanted: Wanted, output: Output
) -> int:
    """Runs the program, and records windows of it; its wait status."""
    stepping = stepping_of(options.accesses, options.maximum_bytes, wanted)
    event = 0.0 if wanted.budget is None else seconds_per_event(options.depth)
    # Signals that come before the program is there, or when it is gone, end all this in order.
    with ended_in_order(), _base_beside(output.place) as base, SignalsHeld() as signals:
        create_control(base)
        native = Accesses.none if stepping is not None else options.accesses
        of_windows = replace(options, output=base, windows=True, accesses=native)
        path, arguments, environment = recorded_command(program, command, of_windows)
        schedule = _schedule(Windows(base, options.maximum_bytes), wanted, output, event, stepping)
        # The first window from the program's first request on, where no budget has to be earned first.
        schedule.step()
        child = signals.start(path, arguments, environment)
        schedule.cpu_time = partial(cpu_seconds, child)
        heard = {} if wanted.until is None else {wanted.until: lambda: _finish(schedule, output)}
        status = signals.wait(child, lambda: _step(schedule, output), lambda: _pause(schedule, output), heard)
        # Of a program that has ended nobody else knows.
        schedule.cpu_time = lambda: signals.cpu_seconds
        _end(schedule, output)
    return status


def _end(schedule: Schedule, output: Output) -> None:
    """Keeps what there is."""
    try:
        schedule.close()
        output.look(wait=True)
    except (CommandError, OSError, ValueError) as error:
        _tell(str(error))
        output.failed = True
    finally:
        output.give_up()
    _say_what_it_took(schedule)


def _pause(schedule: Schedule, output: Output) -> float:
    return min(schedule.pause, TABLE) if output.making else schedule.pause


def _say_what_it_took(schedule: Schedule) -> None:
    """Where there is a budget, by the numbers that it was kept by."""
    if schedule.wanted.budget is None:
        return
    spent, program = schedule.spending.seconds(), schedule.program()
    share = f", {spent / program:.2%} of the program's" if program else ""
    _tell(f"{counted(schedule.count, 'window')}; recording took {spent:.2f} s of CPU time{share}")


def stepping_of(accesses: Accesses, maximum_bytes: int, wanted: Wanted) -> Stepping | None:
    """Raises CommandError where accesses are wanted and the system does not let them be sampled."""
    return Stepping(maximum_bytes, wanted.budget) if accesses is Accesses.sampled else None


def _schedule(
    windows: Windows, wanted: Wanted, output: Output, event: float, stepping: Stepping | None
) -> Schedule:
    """Of a program that has used no CPU time yet."""
    # So far those that measured what an event takes.
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    measuring = children.ru_utime + children.ru_stime
    first = (FIRST_TABLE * time.process_time(), FIRST_TABLE_EVENT) if output.tables else (0.0, 0.0)

    def own() -> float:
        sampling = 0.0 if stepping is None else stepping.seconds()
        return time.process_time() + measuring + output.spent + sampling

    return Schedule(windows, wanted, Spending(event, *first, own), lambda: 0.0, output.take, stepping)


def _step(schedule: Schedule, output: Output) -> None:
    output.look()
    while output.made:
        schedule.spending.learn(*output.made.pop())
    # One table at a time: of a host that is busy, the next window can wait.
    if output.making:
        return
    _try(schedule.step, schedule, output)


def _finish(schedule: Schedule, output: Output) -> None:
    """Keeps what was recorded, and records nothing more."""
    schedule.give_up()
    _try(schedule.close, schedule, output)


def _try(step: Callable[[], object], schedule: Schedule, output: Output) -> None:
    """Whatever goes wrong here, the program goes on, and somebody has to wait for it."""
    try:
        step()
    except (CommandError, OSError, ValueError) as error:
        _tell(f"{error}; nothing more is recorded")
        output.failed = True
        schedule.give_up()


@contextmanager
def _base_beside(place: Path) -> Iterator[Path]:
    """A base for windows on the disk where the output will lie, gone at the end."""
    parent = place if place.is_dir() else place.absolute().parent
    folder = tempfile.mkdtemp(prefix=".malloom-", dir=parent)
    try:
        yield Path(folder).absolute() / "window"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start_on_demand(program: Program, command: list[str], options: RecordingOptions) -> None:
    """Becomes the program, with a recorder that records nothing until 'malloom record --pid' asks it to."""
    base = options.output.absolute()
    check_output(base)
    if not is_control(control_file(base)):
        raise UsageProblem(f"{control_file(base)} is something else", remedy="choose another name")
    create_control(base)
    path, arguments, environment = recorded_command(program, command, replace(options, windows=True))
    for number in to_default():
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(path, arguments, environment)
    except OSError as error:
        raise CommandError(f"cannot run {path}: {error.strerror}") from None


def record_process(pid: int, wanted: Wanted, maximum_bytes: int, output: Output, accesses: Accesses) -> int:
    """Records windows of a process that runs, until it ends or all is recorded; 1 where a table could not be
    made."""
    stepping = stepping_of(accesses, maximum_bytes, wanted)
    windows = Windows(base_of_process(pid), maximum_bytes)
    event = 0.0 if wanted.budget is None else seconds_per_event(DEPTH)
    try:
        schedule = _schedule(windows, wanted, output, event, stepping)
        used_before = cpu_seconds(pid)
        schedule.cpu_time = lambda: max(cpu_seconds(pid) - used_before, 0.0)
        with ended_in_order():
            # What there is by now is kept where somebody ends it.
            with contextlib.suppress(KeyboardInterrupt, SystemExit):
                while not (schedule.is_done or schedule.is_given_up) and is_running(pid):
                    _step(schedule, output)
                    time.sleep(min(_pause(schedule, output), 1.0))
            _end(schedule, output)
    finally:
        windows.release()
    return int(output.failed)
