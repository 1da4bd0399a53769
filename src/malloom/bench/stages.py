"""malloom's own stages as whole processes: they meet in files, and their memory goes back when they end."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from malloom.bench.process import Command, Run, run_measured
from malloom.errors import CommandError


def stage(*arguments: str, environment: dict[str, str] | None = None) -> Command:
    """One malloom command, to be run by the Python that runs this."""
    return Command([sys.executable, "-m", "malloom", *arguments], environment or {})


def record(program: Sequence[str], profile: Path, accesses: str, stdin: Path | None = None) -> Run:
    """Records a run of a program. Its own status is not looked at: what it recorded is good up to its end."""
    command = stage("record", "-o", str(profile), "--accesses", accesses, "--", *program)
    run = run_measured(Command(command.arguments, command.environment, stdin))
    if not profile.is_file():
        raise CommandError(f"recording {program[0]} gave no profile: {_last_line(run)}")
    return run


def plan(profile: Path, made: Path, strategy: str) -> Run:
    return _run_stage("plan", str(profile), "-o", str(made), "--strategy", strategy)


def output_of(*arguments: str) -> str:
    """Standard output of one malloom command. Raises CommandError with its own message where it fails."""
    command = stage(*arguments)
    done = subprocess.run(command.arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"malloom {arguments[0]} failed: {done.stderr.strip().rpartition(chr(10))[2]}")
    return done.stdout


def _run_stage(*arguments: str) -> Run:
    run = run_measured(stage(*arguments))
    if run.status != 0:
        raise CommandError(f"malloom {arguments[0]} failed: {_last_line(run)}")
    return run


def _last_line(run: Run) -> str:
    return run.errors.decode(errors="replace").strip().rpartition("\n")[2]
