"""What recording costs the program that is recorded, against the program as it is.

Measured is the CPU time of the recorded processes, DynamoRIO's included, started as `malloom record` starts
them. The command's own start, and what it takes in after their end, are a constant and not counted.
"""

from pathlib import Path

from malloom.bench.cases import Runnable
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.launch import recording
from malloom.launch.program import open_program
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import GLIBC
from malloom.settings import VARIABLE

# --accesses -> how many times the program's own CPU time recording may take.
LIMITS = {"none": 1.3, "full": 15.0, "sampled": 2.0}
DEPTH = 8
"""Frames of a context: the default of `malloom record`."""


def recording_goals(bench: Bench, program: Runnable, accesses: str, budget: Budget) -> list[Row | Goal]:
    """One way of recording a program. All runs append to one profile, which is thrown away."""
    plain = Command(program.command(bench).arguments)
    profile = bench.scratch / "overhead.profile"
    variant = f"record {accesses}"
    commands = {GLIBC: plain, variant: recording_command(plain, profile, accesses)}
    recording.create(profile, force=True)
    try:
        what = f"{' '.join(program.place)}, accesses {accesses}"
        rounds = bench.race_of(what, commands, GLIBC, budget)
    finally:
        recording.remove(profile)
    measured = measured_row(program.place, rounds, variant, GLIBC, "cpu_time")
    return [*control_rows(program.place, rounds, GLIBC), Goal(measured, LIMITS[accesses])]


def recording_command(program: Command, profile: Path, accesses: str) -> Command:
    """What `malloom record` starts, with the variables that it sets."""
    options = recording.RecordingOptions(
        profile.absolute(), recording.Accesses(accesses), 0, DEPTH, force=True
    )
    found = open_program(program.arguments[0])
    path, arguments, environment = recording.recorded_command(found, list(program.arguments), options)
    ours = {name: environment[name] for name in ("LD_PRELOAD", VARIABLE)}
    return Command([str(path), *arguments[1:]], {**program.environment, **ours}, program.stdin)
