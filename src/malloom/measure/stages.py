"""malloom's own stages as whole processes: they meet in files, and their memory goes back when they end."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure.process import TIME_LIMIT, Command, Run, ended, last_line, last_words, run_measured
from malloom.measure.service import Client

LONGEST_STAGE = 1800.0
"""Seconds: planning reads a large profile for minutes, and optimize runs a program dozens of times."""


class NoProfile(CommandError):
    """Nothing was recorded, as where the disk is full or the recorder cannot be loaded."""


@dataclass(frozen=True)
class Recorded:
    """What `record` tells of a run. `is_cut`: the profile reached its maximum size, and so has the beginning
    of the run alone; `has_no_room`: the disk's. `words` are the last that people are told, by the recorder or
    by the program."""

    events: int
    is_cut: bool
    words: str
    has_no_room: bool = False

    @classmethod
    def by(cls, run: Run) -> Recorded:
        """By the last line that a run of `record` wrote; where that ended too soon, it says nothing."""
        before, _, last = run.errors.decode(errors="replace").strip().rpartition("\n")
        try:
            told = json.loads(last)
            words = [last_line(before), *(str(note) for note in told["notes"])][-1]
            is_cut, has_no_room = bool(told["reached_max_size"]), bool(told["disk_is_full"])
            return cls(int(told["events"]), is_cut, words, has_no_room)
        except (ValueError, TypeError, KeyError):
            return cls(0, False, last)


def stage(*arguments: str, environment: dict[str, str] | None = None) -> Command:
    """One malloom command, to be run by the Python that runs this. It takes nothing from the working folder
    (-P)."""
    return Command([sys.executable, "-P", "-m", "malloom", *arguments], environment or {})


def record(
    program: Sequence[str],
    profile: Path,
    accesses: str,
    stdin: Path | None = None,
    time_limit: float = TIME_LIMIT,
    environment: dict[str, str] | None = None,
    client: Client | None = None,
    maximum_bytes: int | None = None,
) -> Run:
    """Records a run of a program, over an earlier profile; a server's, which its client loads.

    The run's status is the program's, and not looked at: what it recorded is good up to its end.
    """
    options = ["--json", "--force", "-o", str(profile), "--accesses", accesses]
    options += [] if maximum_bytes is None else ["--max-size", str(maximum_bytes)]
    command = stage("record", *options, "--", *program, environment=environment)
    run = run_measured(Command(command.arguments, command.environment, stdin, time_limit, client))
    if not profile.is_file():
        raise NoProfile(f"recording {program[0]} gave no profile: {Recorded.by(run).words}")
    return run


def plan(profile: Path, made: Path, strategy: str, *options: str) -> Run:
    return run_stage("plan", str(profile), "-o", str(made), "--force", "--strategy", strategy, *options)


def plan_each(
    wanted: Mapping[Path, Mapping[str, Path]], process: str | None = None, leads: Collection[int] = ()
) -> dict[str, str]:
    """Plans profiles by several strategies each, for less than one at a time; what went wrong, by strategy.
    `process` as `malloom plan --process` has it; contexts of the hashes `leads` lead on to groups."""
    profiles = {
        str(each): {name: str(plan) for name, plan in plans.items()} for each, plans in wanted.items()
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as task:
        json.dump({"profiles": profiles, "process": process, "leads": [*leads]}, task)
        task.flush()
        command = Command([sys.executable, "-P", "-m", "malloom.layout.plan_each", task.name])
        limit = LONGEST_STAGE * max(len(wanted), 1)
        problems: dict[str, str] = json.loads(_output_of(command.limited(limit), "planning"))
    return problems


def output_of(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """Standard output of one malloom command, with more in its environment. Raises CommandError with its own
    message where it fails."""
    command = stage(*arguments, environment=environment).limited(LONGEST_STAGE)
    return _output_of(command, f"malloom {arguments[0]}")


def _output_of(command: Command, name: str) -> str:
    with ended(command) as run:
        if run.status != 0:
            said = last_line(run.errors.read())
            raise CommandError(f"{name} failed: {said or how_it_ended(run.status)}")
        return run.output.read()


def how_it_ended(status: int) -> str:
    """For people, of one that said nothing; negative: by a signal."""
    killed = " (killed: is there too little memory?)" if status == -signal.SIGKILL else ""
    return f"it ended by signal {-status}{killed}" if status < 0 else f"exit status {status}"


def run_stage(*arguments: str) -> Run:
    """One malloom command. Raises CommandError with its own message where it fails."""
    run = run_measured(stage(*arguments).limited(LONGEST_STAGE))
    if run.status != 0:
        raise CommandError(f"malloom {arguments[0]} failed: {last_words(run)}")
    return run
