"""The recording that planning starts from: all accesses where that is affordable, else what can be had."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command, Run, TimeLimitReached, last_words, time_limit
from malloom.measure.service import LoadFailed

FULL_RECORDING_SECONDS = 8.0
"""Programs that take more CPU time than this are sampled: full recording takes up to 15 times as long."""
LEAST_TIME_LIMIT, SLOWEST_RECORDING = 120.0, 60.0
"""Seconds, and times the program's own run: a recording that takes longer hangs."""

LESS = {"full": "sampled", "sampled": "none"}
"""What is recorded where a program does not run as it should under DynamoRIO."""

SIGNALLED = 128
"""With the signal's number, the exit status by which shells tell of a signal."""

MOST_REQUESTS = 6_000_000
"""Programs that make more are not recorded: a strategy takes 4 s and 300 MB for each million to plan."""


@dataclass(frozen=True)
class RecordedProfile:
    """A profile, and which accesses it has; `notes` say what could not be recorded, and why. `process` is the
    executable's that plans are for; None: the program's own. `run_time` are the seconds of CPU time of the
    program by itself."""

    profile: Path
    accesses: str
    notes: tuple[str, ...]
    run_time: float
    process: str | None = None

    @property
    def has_time(self) -> bool:
        """Whether its waiting can be held against the run's time: all accesses are there, and the time is of
        that process."""
        return self.accesses == "full" and self.process is None and self.run_time > 0

    @property
    def chosen(self) -> tuple[str, ...]:
        """The options that say which process is meant."""
        return ("--process", self.process) if self.process else ()


def record_for_planning(
    program: Command, plain: Run, profile: Path, wanted: str | None, say: Callable[[str], None]
) -> RecordedProfile:
    """Records what was asked for. Where that was left open: what is affordable, and less where it fails.

    `plain` is the program's run as it is. Raises CommandError where nothing can be recorded.
    """
    accesses = wanted or ("full" if plain.cpu_time <= FULL_RECORDING_SECONDS else "sampled")
    notes: list[str] = []
    while True:
        say(f"recording, accesses {accesses}")
        problem = _problem_of_recording(program, plain, profile, accesses)
        if problem is None:
            return RecordedProfile(profile, accesses, tuple(notes), plain.cpu_time)
        if wanted or accesses not in LESS:
            raise CommandError(
                f"the program does not run as it should while it is recorded ({problem})",
                remedy="try another --accesses, or 'malloom doctor -- PROGRAM'",
            )
        notes.append(f"recording with accesses {accesses} failed ({problem})")
        accesses = LESS[accesses]


def is_affordable(requests: int | None) -> bool:
    """Whether so many requests can be planned in reasonable time; None is an unknown number."""
    return requests is None or requests <= MOST_REQUESTS


def _problem_of_recording(program: Command, plain: Run, profile: Path, accesses: str) -> str | None:
    limit = time_limit(plain, LEAST_TIME_LIMIT, SLOWEST_RECORDING)
    try:
        run = stages.record(program.arguments, profile, accesses, program.stdin, limit, client=program.client)
    except TimeLimitReached:
        return f"it did not end within {limit:.0f} s"
    except LoadFailed as error:
        return str(error)
    # `malloom record` tells of a signal as shells do, and of an incomplete profile by status 1.
    status, expected = os.waitstatus_to_exitcode(run.status), os.waitstatus_to_exitcode(plain.status)
    if status == (expected if expected >= 0 else SIGNALLED - expected) or "--max-size" in last_words(run):
        return None
    return f"exit status {status}: {last_words(run)}"
