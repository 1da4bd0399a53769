"""malloom's own stages as whole processes: they meet in files, and their memory goes back when they end."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure.process import TIME_LIMIT, Command, Run, ended, last_line, last_words, run_measured
from malloom.measure.service import Client

LONGEST_STAGE = 1800.0
"""Seconds: planning reads a large profile for minutes, and optimize runs a program dozens of times."""


def stage(*arguments: str, environment: dict[str, str] | None = None) -> Command:
    """One malloom command, to be run by the Python that runs this."""
    return Command([sys.executable, "-m", "malloom", *arguments], environment or {})


def record(
    program: Sequence[str],
    profile: Path,
    accesses: str,
    stdin: Path | None = None,
    time_limit: float = TIME_LIMIT,
    environment: dict[str, str] | None = None,
    client: Client | None = None,
) -> Run:
    """Records a run of a program, over an earlier profile; a server's, which its client loads.

    The run's status is the program's, and not looked at: what it recorded is good up to its end.
    """
    options = ["--force", "-o", str(profile), "--accesses", accesses]
    command = stage("record", *options, "--", *program, environment=environment)
    run = run_measured(Command(command.arguments, command.environment, stdin, time_limit, client))
    if not profile.is_file():
        raise CommandError(f"recording {program[0]} gave no profile: {last_words(run)}")
    return run


def plan(profile: Path, made: Path, strategy: str, *options: str) -> Run:
    return run_stage("plan", str(profile), "-o", str(made), "--force", "--strategy", strategy, *options)


def plan_each(
    profile: Path, plans: Mapping[str, Path], process: str | None = None, leads: Collection[int] = ()
) -> dict[str, str]:
    """Plans by several strategies, for less than one at a time; what went wrong, by strategy. `process` as
    `malloom plan --process` has it; contexts of the hashes `leads` lead on to groups."""
    wanted = [f"{name}={path}" for name, path in plans.items()]
    module = [sys.executable, "-m", "malloom.layout.plan_each"]
    command = Command([*module, str(profile), process or "", ",".join(map(str, leads)), *wanted])
    problems: dict[str, str] = json.loads(_output_of(command.limited(LONGEST_STAGE), "planning"))
    return problems


def output_of(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """Standard output of one malloom command, with more in its environment. Raises CommandError with its own
    message where it fails."""
    command = stage(*arguments, environment=environment).limited(LONGEST_STAGE)
    return _output_of(command, f"malloom {arguments[0]}")


def _output_of(command: Command, name: str) -> str:
    with ended(command) as run:
        if run.status != 0:
            raise CommandError(f"{name} failed: {last_line(run.errors.read())}")
        return run.output.read()


def run_stage(*arguments: str) -> Run:
    """One malloom command. Raises CommandError with its own message where it fails."""
    run = run_measured(stage(*arguments).limited(LONGEST_STAGE))
    if run.status != 0:
        raise CommandError(f"malloom {arguments[0]} failed: {last_words(run)}")
    return run
