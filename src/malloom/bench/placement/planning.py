"""Time and memory of planning a profile of a given size."""

from pathlib import Path

from malloom.bench.goals import Goal, against_limit
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.layout.registry import AUTO
from malloom.measure import stages
from malloom.measure.process import Command, run_measured

SECONDS = 60.0
BYTES = float(4 << 30)


def planning_goals(bench: Bench, requests: int, accesses: int) -> list[Goal]:
    """`malloom plan --strategy auto` over a generated profile: at most 60 s and 4 GiB."""
    bench.say(f"planning a generated profile of {requests} requests and {accesses} accesses")
    profile = bench.scratch / "generated.profile"
    write_profile(bench, profile, requests, accesses)
    run = stages.plan(profile, bench.scratch / "generated.plan", AUTO)
    place = ("generated profile", f"{requests} requests {accesses} accesses")
    return [
        against_limit(place, AUTO, "planning_time", [run.wall_time], SECONDS),
        against_limit(place, AUTO, "planning_memory", [float(run.peak_memory)], BYTES),
    ]


def write_profile(bench: Bench, profile: Path, requests: int, accesses: int) -> None:
    """Has the generator write a profile. It is built beside the workloads."""
    generator = bench.workloads.parent / "src/native/synthetic/make_synthetic_profile"
    if not generator.is_file():
        raise CommandError(f"there is no {generator}", remedy="run 'make native' in malloom's source tree")
    made = run_measured(Command([str(generator), str(profile), str(requests), str(accesses)]))
    if made.status != 0:
        raise CommandError(f"cannot write {profile}", remedy="make room in the folder for temporary files")
