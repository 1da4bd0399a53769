"""The recording that planning starts from: all accesses where that is affordable, else what can be had."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command, Run, TimeLimitReached, time_limit
from malloom.measure.service import LoadFailed
from malloom.quantities import format_size
from malloom.temporary import NoRoom

FULL_RECORDING_SECONDS = 8.0
"""Programs that take more CPU time than this are sampled: full recording takes up to 15 times as long."""
LEAST_TIME_LIMIT, SLOWEST_RECORDING = 120.0, 60.0
"""Seconds, and times the program's own run: a recording that takes longer hangs."""

LESS = {"full": "sampled", "sampled": "none"}
"""What is recorded where a program does not run as it should under DynamoRIO."""

INCOMPLETE = 1
"""The exit status of `malloom record` where the profile is cut and the program succeeds."""
SIGNALLED = 128
"""With the signal's number, the exit status by which shells tell of a signal."""

MOST_REQUESTS = 6_000_000
"""Programs that make more are not recorded: a strategy takes 4 s and 300 MB for each million to plan."""
MOST_EVENTS = 2 * MOST_REQUESTS
"""Of a recording: objects are requested and given back."""
LARGEST = 2 << 30
"""Bytes of the recordings of all inputs together."""


@dataclass(frozen=True)
class RecordedProfile:
    """A profile, and which accesses it has; `notes` say what could not be recorded, and why. `process` is the
    executable's that plans are for; None: the program's own. `run_time` are the seconds of CPU time of the
    program by itself. `is_cut`: it reached LARGEST, and tells of the beginning alone."""

    profile: Path
    accesses: str
    notes: tuple[str, ...]
    run_time: float
    process: str | None = None
    is_cut: bool = False

    @property
    def has_time(self) -> bool:
        """Whether its waiting can be held against the run's time: all accesses are there, and the time is of
        that process."""
        is_whole = self.accesses == "full" and not self.is_cut
        return is_whole and self.process is None and self.run_time > 0

    @property
    def chosen(self) -> tuple[str, ...]:
        """The options that say which process is meant."""
        return ("--process", self.process) if self.process else ()


class TooManyRequests(CommandError):
    """The recording has more events than can be planned in reasonable time."""


def record_for_planning(
    program: Command,
    plain: Run,
    profile: Path,
    wanted: str | None,
    say: Callable[[str], None],
    largest: int = LARGEST,
    most_events: int | None = MOST_EVENTS,
) -> RecordedProfile:
    """Records what was asked for, in so many bytes at most. Where that was left open: what is affordable, and
    less where it fails or does not fit.

    `plain` is the program's run as it is. Raises CommandError where nothing can be recorded, NoRoom where
    that is the disk's fault, TooManyRequests where it was left open and is more than `most_events`.
    """
    accesses = wanted or ("full" if plain.cpu_time <= FULL_RECORDING_SECONDS else "sampled")
    notes: list[str] = []
    while True:
        say(f"recording, accesses {accesses}")
        is_last = wanted is not None or accesses not in LESS
        try:
            found = _recorded(program, plain, profile, accesses, largest)
        except NoRoom as problem:
            if is_last:
                raise
            found = str(problem)
        if isinstance(found, str) and is_last:
            raise CommandError(
                f"the program does not run as it should while it is recorded ({found})",
                remedy="try another --accesses, or 'malloom doctor -- PROGRAM'",
            )
        if isinstance(found, str):
            notes.append(f"recording with accesses {accesses} failed ({found})")
        elif found.is_cut and not is_last:
            notes.append(f"with accesses {accesses} the recording is more than {format_size(largest)}")
        else:
            if wanted is None and most_events is not None and found.events > most_events:
                raise TooManyRequests(f"it makes some {found.events // 2} requests, too many to place each")
            if found.is_cut:
                notes.append(f"plans go by the beginning of the run, {format_size(largest)} of its recording")
            return RecordedProfile(profile, accesses, tuple(notes), plain.cpu_time, is_cut=found.is_cut)
        accesses = LESS[accesses]


def is_affordable(requests: int | None) -> bool:
    """Whether so many requests can be planned in reasonable time; None is an unknown number."""
    return requests is None or requests <= MOST_REQUESTS


def _recorded(
    program: Command, plain: Run, profile: Path, accesses: str, largest: int
) -> stages.Recorded | str:
    """What was recorded, or why that is nothing worth. Raises NoRoom."""
    limit = time_limit(plain, LEAST_TIME_LIMIT, SLOWEST_RECORDING)
    try:
        run = stages.record(
            program.arguments,
            profile,
            accesses,
            program.stdin,
            limit,
            client=program.client,
            maximum_bytes=largest,
        )
    except TimeLimitReached:
        return f"it did not end within {limit:.0f} s"
    except (LoadFailed, stages.NoProfile) as error:
        return str(error)
    # `malloom record` tells of a signal as shells do, and of an incomplete profile by status 1.
    status, expected = os.waitstatus_to_exitcode(run.status), os.waitstatus_to_exitcode(plain.status)
    recorded, wanted = stages.Recorded.by(run), expected if expected >= 0 else SIGNALLED - expected
    if recorded.has_no_room:
        raise NoRoom
    if status == wanted or (recorded.is_cut and status == (wanted or INCOMPLETE)):
        return recorded
    return f"exit status {status}: {recorded.words or 'it says nothing'}"
