"""What recording costs the program that is recorded, against the program as it is.

Measured is the CPU time of the recorded processes, DynamoRIO's included, started as `malloom record` starts
them. The command's own start, and what it takes in after their end, are a constant and not counted.
"""

from pathlib import Path

from malloom.bench.goals import Goal
from malloom.bench.placement.real_programs import RealProgram
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.launch import recording
from malloom.launch.program import open_program
from malloom.measure import variants
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.process import Command
from malloom.measure.rows import row
from malloom.settings import VARIABLE

# --accesses -> how many times the program's own CPU time recording may take.
LIMITS = {"none": 1.3, "full": 15.0, "sampled": 2.0}
DEPTH = 8
"""Frames of a context: the default of `malloom record`."""


def workload_recording_goals(bench: Bench, case: Case, accesses: str, budget: Budget) -> list[Goal]:
    """One way of recording a workload."""
    program = Command(case.command(bench.workloads).arguments)
    return _recording_goals(bench, case.place, program, accesses, budget)


def program_recording_goals(bench: Bench, program: RealProgram, accesses: str, budget: Budget) -> list[Goal]:
    """One way of recording a real program."""
    command = Command(program.prepare(bench.scratch))
    return _recording_goals(bench, (program.name, program.input), command, accesses, budget)


def _recording_goals(
    bench: Bench, place: tuple[str, str], program: Command, accesses: str, budget: Budget
) -> list[Goal]:
    """All runs append to one profile, which is thrown away."""
    bench.say(f"measuring the recording of {' '.join(place)}, accesses {accesses}")
    profile = bench.scratch / "overhead.profile"
    variant = f"record {accesses}"
    commands = {variants.GLIBC: program, variant: recording_command(program, profile, accesses)}
    recording.create(profile, force=True)
    try:
        rounds = run_interleaved(commands, variants.GLIBC, budget, progress=bench.progress)
    finally:
        recording.remove(profile)
    measured = row(
        place,
        variant,
        variants.GLIBC,
        "cpu_time",
        rounds.ratio(variant, variants.GLIBC),
        runs=len(rounds),
        peak=rounds.peak_ratio(variant, variants.GLIBC),
    )
    return [Goal(measured, LIMITS[accesses])]


def recording_command(program: Command, profile: Path, accesses: str) -> Command:
    """What `malloom record` starts, with the variables that it sets."""
    options = recording.RecordingOptions(
        profile.absolute(), recording.Accesses(accesses), 0, DEPTH, force=True
    )
    found = open_program(program.arguments[0])
    path, arguments, environment = recording.recorded_command(found, list(program.arguments), options)
    ours = {name: environment[name] for name in ("LD_PRELOAD", VARIABLE)}
    return Command([str(path), *arguments[1:]], {**program.environment, **ours}, program.stdin)
