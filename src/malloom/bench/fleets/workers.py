"""A simulation of all strategies by tasks, with one worker and with several: time, bytes moved, and whether a
model of it holds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Any

from malloom.bench.cases import Case
from malloom.bench.fleets.schedule import Model
from malloom.bench.steps import Bench, Step
from malloom.cache.geometry import geometry_from
from malloom.cache.simulate import sample_among
from malloom.cluster.ranking import RemoteRanking, Simulated, simulated
from malloom.cluster.tasks import Tasks, local_cluster, tasks_at
from malloom.errors import CommandError
from malloom.layout.registry import strategy_names
from malloom.measure.interleaved import Budget
from malloom.measure.interval import Interval
from malloom.measure.process import Command, run_measured
from malloom.measure.rows import Row, measured_row, row
from malloom.measure.stages import record, stage
from malloom.profile import HeapProfile

PART = "workers"
HERE, PROFILE, MODEL, ONE = "here", "profile", "model", "1 worker"
WALL, MOVED = "wall_time", "bytes_moved"
WORKERS = (1, 2, 4)
MANY = 1000
PROFILES = 100
"""Of a fleet's programs and inputs, each simulated with every strategy: what many workers are asked for."""
GEOMETRY = "zen5"
EMPTY_TASKS = 1000
COUNTERS = Path("/proc/net/dev")


def steps(quick: bool) -> list[Step]:
    case = Case("traverse", ("12", "4") if quick else ("18", "6"), "walk_time")
    budget = Budget(fewest=2, most=2) if quick else Budget(fewest=6, most=12, seconds=400.0)
    return [Step(PART, str(case), partial(_rows, case=case, budget=budget), 20.0 if quick else 600.0)]


def _rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    bench.say(f"recording {case}")
    profile = bench.file(case, "profile")
    record(case.command(bench).arguments, profile, "full")
    plain = ["simulate", str(profile), "--cache", GEOMETRY, "--json"]
    with ExitStack() as stack:
        addresses = {count: stack.enter_context(cluster_of(count)) for count in WORKERS}
        by_tasks = {
            count: stage(*plain, "--scheduler", address).limited(600.0)
            for count, address in addresses.items()
        }
        commands = {HERE: stage(*plain).limited(600.0), **{_named(each): by_tasks[each] for each in WORKERS}}
        rounds = bench.race_of(str(case), commands, HERE, budget, WALL)
        moved = {count: bytes_moved(command) for count, command in by_tasks.items()}
        bench.say("measuring each task by itself")
        tasks, model = measured_tasks(addresses[1], profile)
    rows = [measured_row(case.place, rounds, name, HERE, WALL) for name in rounds.runs if name != HERE]
    size = profile.stat().st_size
    rows += [_told(case, _named(count), PROFILE, MOVED, each / size) for count, each in moved.items()]
    return [*rows, *_model_rows(bench, case, rounds.runs, tasks, model)]


@contextmanager
def cluster_of(workers: int) -> Iterator[str]:
    """The address of a scheduler on this machine with so many workers."""
    with local_cluster(workers) as cluster:
        yield str(cluster.scheduler_address)


def _named(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}"


def bytes_moved(command: Command) -> int:
    """Between all processes of this machine while the command runs: nothing else may."""
    before = _loopback_bytes()
    run = run_measured(command)
    if run.status:
        raise CommandError("a simulation by tasks failed while its bytes were counted")
    return _loopback_bytes() - before


def _loopback_bytes() -> int:
    for line in COUNTERS.read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "lo":
            return int(counts.split()[0])
    raise CommandError("the system does not count the bytes of its loopback interface")


def measured_tasks(address: str, profile: Path) -> tuple[list[float], Model]:
    """What each task takes on one worker, in their order, and what the rest takes; the command's own time is
    not in it yet."""
    geometry = geometry_from(GEOMETRY)
    with tasks_at(address) as tasks:
        dispatch = _seconds(lambda: tasks.run(nothing, range(EMPTY_TASKS))) / EMPTY_TASKS
        ranking = RemoteRanking(tasks, str(profile), None, geometry)
        names = strategy_names()
        # With these the worker has read the profile, and no task below does.
        facts = ranking.facts(names)
        sample = sample_among(facts.access_entries, None)
        work = [Simulated(str(profile), None, name, geometry, sample, False) for name in names]
        found = [_of_one(tasks, each) for each in work]
    reading = _seconds(lambda: HeapProfile.open(profile).requests.accesses)
    return found, Model(0.0, dispatch, reading)


def _of_one(tasks: Tasks, task: Simulated) -> float:
    return _seconds(lambda: tasks.run(simulated, [task]))


def _seconds(work: Any) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def nothing(item: int) -> int:
    """A task that takes no time."""
    return item


def _model_rows(bench: Bench, case: Case, runs: Any, tasks: Sequence[float], model: Model) -> Iterator[Row]:
    """What was measured against what the model says of it, and what it says of many workers."""
    median = {name: sorted(run.wall_time for run in there)[len(there) // 2] for name, there in runs.items()}
    cores = cpu_count() or 1
    # The command's own time is what one worker's run leaves over; of other numbers nothing is fitted.
    fixed = median[ONE] - model.seconds(tasks, 1)
    model = Model(max(fixed, 0.0), model.dispatch, model.reading)
    for workers in WORKERS[1:]:
        expected = model.seconds(tasks, min(workers, cores))
        yield _told(case, _named(workers), MODEL, WALL, median[_named(workers)] / expected)
    fleet = list(tasks) * PROFILES
    one, many = model.seconds(fleet, 1), model.seconds(fleet, MANY)
    yield _told(case, f"{MANY} workers, {PROFILES} profiles", f"{ONE}, {PROFILES} profiles", WALL, many / one)
    bench.note(
        f"{len(tasks)} tasks of {min(tasks):.2f} to {max(tasks):.2f} s, {1e3 * model.dispatch:.2f} ms each "
        f"at the scheduler, {model.reading:.2f} s to read the profile, {model.fixed:.2f} s for the command; "
        f"{PROFILES} such profiles would take {one:.0f} s with one worker and {many:.1f} s with {MANY}"
    )


def _told(case: Case, variant: str, baseline: str, metric: str, ratio: float) -> Row:
    return row(case.place, variant, baseline, metric, Interval(ratio, None, None))
