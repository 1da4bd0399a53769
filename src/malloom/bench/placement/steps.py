"""The parts of the suite as lists of steps."""

from collections.abc import Sequence
from functools import partial

from malloom.bench.placement import goals, misses, races, thesis
from malloom.bench.placement.optimizing import optimize_goals
from malloom.bench.placement.planning_goals import planning_goals
from malloom.bench.placement.plans import strategies
from malloom.bench.placement.recording_goals import program_recording_goals, workload_recording_goals
from malloom.bench.placement.scale import Scale
from malloom.bench.steps import Step
from malloom.bench.workloads import Case, traverse

TABLES = ("times", "misses", "preallocation", "statistics")
GOALS = ("speed", "recording", "planning", "programs")
PARTS = TABLES + GOALS
GROUPS = {"tables": TABLES, "goals": GOALS}


def steps_of(parts: Sequence[str], scale: Scale) -> list[Step]:
    """The steps of the parts, in their order."""
    makers = {
        "times": _times,
        "misses": _misses,
        "preallocation": _preallocation,
        "statistics": _statistics,
        "speed": _speed,
        "recording": _recording,
        "planning": _planning,
        "programs": _programs,
    }
    return [step for part in parts for step in makers[part](scale)]


def _with_names(case: Case) -> list[tuple[Case, list[str]]]:
    """The plain program with all strategies but the friends', which only the annotated one knows."""
    plain = [name for name in strategies() if name not in thesis.FRIENDS]
    return [(case, plain), (case.annotated(), [races.SEQUENTIAL, *thesis.FRIENDS, races.USAGE])]


def _label(case: Case) -> str:
    return " ".join(case.place)


def _times(scale: Scale) -> list[Step]:
    budget = scale.table_budget
    return [
        Step("times", _label(case), partial(races.strategy_rows, case=case, names=names, budget=budget))
        for plain in scale.timed
        for case, names in _with_names(plain)
    ]


def _misses(scale: Scale) -> list[Step]:
    return [
        Step("misses", _label(case), partial(misses.miss_rows, case=case, names=names))
        for plain in scale.counted
        for case, names in _with_names(plain)
    ]


def _preallocation(scale: Scale) -> list[Step]:
    case, budget = scale.preallocated, scale.table_budget
    return [Step("preallocation", _label(case), partial(races.preallocation_rows, case=case, budget=budget))]


def _statistics(scale: Scale) -> list[Step]:
    budget = scale.table_budget
    return [
        Step("statistics", _label(case), partial(races.statistics_rows, case=case, budget=budget))
        for case in scale.with_statistics
    ]


def _speed(scale: Scale) -> list[Step]:
    large, small, budget = scale.large_walk, scale.small_walk, scale.goal_budget
    close = scale.close_budget

    def walk(case: Case, metric: str, limit: float) -> Step:
        measure = partial(goals.speed_goals, case=case, metric=metric, limit=limit, budget=budget)
        return Step("speed", _label(case), measure)

    def against_peers(case: Case) -> Step:
        measure = partial(
            goals.peers_goals, case=case, budget=close, optimize_seconds=scale.optimize_seconds / 2
        )
        return Step("speed", f"{_label(case)} against allocators", measure)

    def with_other_plans(case: Case, others: Sequence[Case]) -> Step:
        measure = partial(goals.foreign_plan_goals, case=case, others=others, budget=close)
        return Step("speed", f"{_label(case)} with other plans", measure)

    start_up = partial(goals.start_up_goals, tiny=traverse(1, 1), large=large, budget=budget)
    return [
        walk(large, "cpu_time", 0.25),
        walk(small, small.phase, 0.45),
        *(against_peers(case) for case in scale.against_peers),
        Step("speed", "start-up", start_up),
        *(with_other_plans(case, others) for case, others in scale.foreign),
    ]


def _recording(scale: Scale) -> list[Step]:
    budget = scale.recording_budget

    def of_case(case: Case, accesses: str) -> Step:
        measure = partial(workload_recording_goals, case=case, accesses=accesses, budget=budget)
        return Step("recording", f"{_label(case)}, accesses {accesses}", measure)

    program = scale.recorded_program
    of_program = partial(program_recording_goals, program=program, accesses="none", budget=budget)
    return [
        Step("recording", f"{program.name}, {program.input}, accesses none", of_program),
        of_case(scale.recorded[0], "none"),
        *(of_case(case, accesses) for case in scale.recorded for accesses in ("full", "sampled")),
    ]


def _planning(scale: Scale) -> list[Step]:
    requests, accesses = scale.planning
    measure = partial(planning_goals, requests=requests, accesses=accesses)
    return [Step("planning", f"{requests} requests {accesses} accesses", measure)]


def _programs(scale: Scale) -> list[Step]:
    return [
        Step(
            "programs",
            f"{program.name}, {program.input}",
            partial(optimize_goals, program=program, seconds=scale.optimize_seconds),
        )
        for program in scale.programs
    ]
