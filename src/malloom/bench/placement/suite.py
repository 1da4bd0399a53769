"""The suite placement: tables 5.1 to 5.14 of Cyll's thesis beside today's, and what malloom must reach."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from malloom.bench.cases import Case, Runnable, traverse
from malloom.bench.placement import goals, misses, races, thesis
from malloom.bench.placement.planning import planning_goals
from malloom.bench.placement.plans import strategies
from malloom.bench.placement.recording import recording_goals
from malloom.bench.placement.scale import PlacementScale, full_scale, quick_scale
from malloom.bench.placement.tables import tables
from malloom.bench.steps import Step
from malloom.bench.suite import Prepared, Suite
from malloom.measure.host import shown_last_level

TABLES = {
    "times": "CPU time of every strategy and every general allocator",
    "misses": "first- and last-level misses of every strategy, counted by cachegrind",
    "preallocation": "placement with and without its pages at the start",
    "statistics": "what counting costs the run time",
}
GOALS = {
    "speed": "what optimize leaves its user with, and plans that do not fit the run",
    "recording": "what recording costs the recorded program",
    "planning": "time and memory of planning a large profile",
    "programs": "verdicts of optimize on real programs, and what it keeps beside general allocators",
    "example": "the same of README's example",
}
SECONDS_TO_OPTIMIZE = 60.0
"""What `malloom optimize` takes: as all of the suite's seconds a guess for the first estimate only, from some
20 minutes for the whole suite."""
PLANNED_MEMORY, PLANNED_DISK = 400, 10
"""Bytes for a request and for an access of the profile that is planned."""


def prepare(quick: bool) -> Prepared:
    """With the papers' inputs, or quickly with small ones."""
    scale = quick_scale() if quick else full_scale()
    makers: Mapping[str, Callable[[PlacementScale], list[Step]]] = {
        "times": _times,
        "misses": _misses,
        "preallocation": _preallocation,
        "statistics": _statistics,
        "speed": _speed,
        "recording": _recording,
        "planning": _planning,
        "programs": partial(_programs, part="programs"),
        "example": partial(_programs, part="example"),
    }
    steps = {part: partial(make, scale) for part, make in makers.items()}
    return Prepared(steps, tables(), shown_last_level())


def _with_names(case: Case) -> list[tuple[Case, list[str]]]:
    """The plain program with all strategies but the friends', which only the annotated one knows."""
    plain = [name for name in strategies() if name not in thesis.FRIENDS]
    return [(case, plain), (case.annotated(), [races.SEQUENTIAL, *thesis.FRIENDS, races.USAGE])]


def _times(scale: PlacementScale) -> list[Step]:
    budget = scale.table_budget
    return [
        Step("times", str(case), partial(races.strategy_rows, case=case, names=names, budget=budget), 30.0)
        for plain in scale.timed
        for case, names in _with_names(plain)
    ]


def _misses(scale: PlacementScale) -> list[Step]:
    return [
        Step("misses", str(case), partial(misses.strategy_miss_rows, case=case, names=names), 20.0)
        for plain in scale.counted
        for case, names in _with_names(plain)
    ]


def _preallocation(scale: PlacementScale) -> list[Step]:
    case, budget = scale.preallocated, scale.table_budget
    measure = partial(races.preallocation_rows, case=case, budget=budget)
    return [Step("preallocation", str(case), measure, budget.seconds)]


def _statistics(scale: PlacementScale) -> list[Step]:
    budget = scale.table_budget
    return [
        Step(
            "statistics", str(case), partial(races.statistics_rows, case=case, budget=budget), budget.seconds
        )
        for case in scale.with_statistics
    ]


def _speed(scale: PlacementScale) -> list[Step]:
    large, small, budget = scale.large_walk, scale.small_walk, scale.goal_budget
    close, seconds = scale.close_budget, scale.optimize_seconds

    def walk(case: Case, metric: str, limit: float) -> Step:
        measure = partial(
            goals.speed_goals, case=case, metric=metric, limit=limit, budget=budget, seconds=seconds
        )
        return Step("speed", str(case), measure, SECONDS_TO_OPTIMIZE + budget.seconds)

    def against_peers(case: Case) -> Step:
        measure = partial(goals.peers_goals, case=case, budget=close, seconds=seconds)
        return Step("speed", f"{case} against allocators", measure, SECONDS_TO_OPTIMIZE + close.seconds)

    def with_other_plans(case: Case, others: Sequence[Case]) -> Step:
        measure = partial(goals.foreign_plan_goals, case=case, others=others, budget=close)
        return Step("speed", f"{case} with other plans", measure, close.seconds)

    start_up = partial(goals.start_up_goals, tiny=traverse(1, 1), large=large, budget=budget)
    return [
        walk(large, "cpu_time", 0.25),
        walk(small, small.measure, 0.45),
        *(against_peers(case) for case in scale.against_peers),
        Step("speed", "start-up", start_up, budget.seconds),
        *(with_other_plans(case, others) for case, others in scale.foreign),
    ]


def _recording(scale: PlacementScale) -> list[Step]:
    wanted: list[tuple[Runnable, str]] = [(scale.recorded_program, "none"), (scale.recorded[0], "none")]
    wanted += [(case, accesses) for case in scale.recorded for accesses in ("full", "sampled")]
    return [
        Step(
            "recording",
            f"{program}, accesses {accesses}",
            partial(recording_goals, program=program, accesses=accesses, budget=scale.recording_budget),
            scale.recording_budget.seconds,
        )
        for program, accesses in wanted
    ]


def _planning(scale: PlacementScale) -> list[Step]:
    requests, accesses = scale.planning
    measure = partial(planning_goals, requests=requests, accesses=accesses)
    memory, disk = PLANNED_MEMORY * requests, PLANNED_DISK * accesses
    what = f"{requests} requests {accesses} accesses"
    return [Step("planning", what, measure, 90.0, memory=memory, disk=disk)]


def _programs(scale: PlacementScale, part: str) -> list[Step]:
    budget = scale.real_budget
    measure = partial(goals.verdict_goals, budget=budget, seconds=scale.optimize_seconds)
    programs = scale.programs if part == "programs" else [scale.example]
    seconds = SECONDS_TO_OPTIMIZE + budget.seconds
    return [Step(part, str(program), partial(measure, program=program), seconds) for program in programs]


SUITE = Suite(
    "Cyll's thesis: layouts of whole programs, and what malloom must reach",
    {**TABLES, **GOALS},
    prepare,
    {"tables": tuple(TABLES), "goals": tuple(GOALS)},
)
