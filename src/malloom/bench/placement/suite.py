"""The whole suite, from the workloads to the rows and the goals."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.pairs import Budget
from malloom.bench.placement import goals, misses, races, real_programs, thesis
from malloom.bench.placement.goals import Goal
from malloom.bench.placement.optimizing import optimize_rows
from malloom.bench.placement.planning_goals import planning_goals
from malloom.bench.placement.plans import Bench, strategies
from malloom.bench.placement.real_programs import RealProgram
from malloom.bench.placement.recording_goals import recording_goals
from malloom.bench.process import Command
from malloom.bench.rows import Row
from malloom.bench.workloads import Case, cover, hexapawn, traverse


@dataclass(frozen=True)
class Scale:
    """How much the suite does. The thesis's inputs and the goals' are those of the full scale."""

    timed: list[Case]
    counted: list[Case]
    short: list[Case]
    preallocated: Case
    slim: list[Case]
    large_walk: Case
    small_walk: Case
    against_peers: list[Case]
    recorded: list[Case]
    planning: tuple[int, int]
    real: list[RealProgram]
    budget: Budget


def full_scale() -> Scale:
    """The thesis's inputs, and those of the goals."""
    return Scale(
        timed=[cover(100), cover(300), cover(500), hexapawn(4, 3), traverse(16, 10), traverse(20, 20)],
        counted=[cover(300), hexapawn(4, 3), traverse(16, 10)],
        short=[cover(100), hexapawn(4, 3)],
        preallocated=cover(300),
        slim=[cover(300), hexapawn(4, 3)],
        large_walk=traverse(20, 20),
        small_walk=traverse(16, 10),
        against_peers=[cover(500), hexapawn(4, 3)],
        recorded=[traverse(20, 20), cover(1500)],
        planning=(10_000_000, 100_000_000),
        real=real_programs.full(),
        budget=Budget(fewest=10, most=40, seconds=120.0, width=0.01),
    )


def quick_scale() -> Scale:
    """Everything once, small: for the tests. Its numbers decide nothing."""
    return Scale(
        timed=[cover(100), traverse(12, 4)],
        counted=[traverse(12, 4)],
        short=[hexapawn(4, 3)],
        preallocated=cover(100),
        slim=[hexapawn(4, 3)],
        large_walk=traverse(14, 10),
        small_walk=traverse(12, 4),
        against_peers=[cover(100)],
        recorded=[traverse(14, 10)],
        planning=(10_000, 100_000),
        real=real_programs.quick()[2:],
        budget=Budget(fewest=3, most=3),
    )


def run(workloads: Path, quick: bool, say: Callable[[str], None]) -> tuple[list[Row], list[Goal]]:
    """All rows of the thesis's tables, and all goals."""
    scale = quick_scale() if quick else full_scale()
    with tempfile.TemporaryDirectory(prefix="malloom-bench-") as folder:
        bench = Bench(workloads, Path(folder), say)
        return table_rows(bench, scale), goal_rows(bench, scale)


def table_rows(bench: Bench, scale: Scale) -> list[Row]:
    """What the thesis's tables hold. Friends are known to the annotated programs alone."""
    plain = [name for name in strategies() if name not in thesis.FRIENDS]
    annotated = [races.SEQUENTIAL, *thesis.FRIENDS, races.USAGE]
    rows: list[Row] = []
    for case in scale.timed:
        rows += races.strategy_rows(bench, case, plain, scale.budget)
        rows += races.strategy_rows(bench, case.annotated(), annotated, scale.budget)
    for case in scale.counted:
        rows += misses.miss_rows(bench, case, plain)
        rows += misses.miss_rows(bench, case.annotated(), annotated)
    rows += races.preallocation_rows(bench, scale.preallocated, scale.budget)
    for case in scale.slim:
        rows += races.slim_rows(bench, case, scale.budget)
    return rows


def goal_rows(bench: Bench, scale: Scale) -> list[Goal]:
    """Every goal, in the order in which they were set."""
    reached = goals.speed_goals(bench, scale.large_walk, "cpu_time", 0.25, scale.budget)
    reached += goals.speed_goals(bench, scale.small_walk, scale.small_walk.phase, 0.45, scale.budget)
    for case in scale.against_peers:
        reached += goals.peers_goals(bench, case, scale.budget)
    reached += recording(bench, scale)
    reached += planning_goals(bench, *scale.planning)
    reached += goals.start_up_goals(bench, traverse(1, 1), scale.large_walk, scale.budget)
    for case in (scale.large_walk, scale.against_peers[0]):
        others = [scale.small_walk, scale.against_peers[-1] if case is scale.large_walk else scale.large_walk]
        reached += goals.foreign_plan_goals(bench, case, others, scale.budget)
    for program in scale.real:
        reached += optimize_rows(bench, program)
    return reached


def recording(bench: Bench, scale: Scale) -> list[Goal]:
    """Requests on the program that allocates most, accesses on the workloads."""
    program = scale.real[-1]
    command = Command(program.prepare(bench.scratch))
    measured = recording_goals(bench, (program.name, program.input), command, "none", scale.budget)
    for case in scale.recorded:
        for accesses in ("full", "sampled"):
            command = case.command(bench.workloads)
            measured += recording_goals(bench, case.place, command, accesses, scale.budget)
    return measured
