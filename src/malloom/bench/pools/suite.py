"""The suite pools: the pool heap against its former self, and against the general allocators."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import typer

from malloom.bench.cases import Case, Runnable
from malloom.bench.gathered import Races
from malloom.bench.malloc_free import PATTERNS, Work
from malloom.bench.pools import before, checks, code
from malloom.bench.pools.allocators import HugePages
from malloom.bench.pools.builds import Builds
from malloom.bench.pools.dynamorio import dynamorio_rows
from malloom.bench.pools.malloc_free import malloc_free_rows
from malloom.bench.pools.memory import memory_rows
from malloom.bench.pools.programs import START_UP
from malloom.bench.pools.scale import AGAINST, PoolsScale, full_scale, quick_scale
from malloom.bench.pools.simulation import forwarded_loads_of
from malloom.bench.pools.tables import tables
from malloom.bench.pools.times import time_rows
from malloom.bench.steps import Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.ten_programs import ChosenPrograms, chosen_programs
from malloom.cache.geometry import size_from
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.valgrind import count_instructions

PARTS = {
    "before": "start-up and the ten programs, against a former build",
    "before-malloc-free": "a malloc and its free, against a former build",
    "memory": "peak memory against the general allocators",
    "times": "CPU time against the general allocators, with huge pages and without",
    "malloc-free": "the pool heap called directly against the general allocators",
    "code": "instructions, forwarded loads and simulated cycles",
    "checks": "what the checks of misuse cost",
    "dynamorio": "the ten programs under DynamoRIO",
}
COUNTED_BYTES = 64
TRACED = 10
"""Of how many counted objects one is traced: a trace has a line for each instruction."""


def prepare(
    quick: bool,
    program: ChosenPrograms = None,
    last_level: Annotated[
        str,
        typer.Option(
            metavar="BYTES",
            help="Size that '2x' refers to: the ten programs' heaps are twice as large. Default: 32M.",
            show_default=False,
        ),
    ] = "",
    against: Annotated[
        str,
        typer.Option(metavar="COMMIT", help="The former commit to compare with, which is built once."),
    ] = AGAINST,
) -> Prepared:
    """The suite with what was chosen. Raises UsageProblem for a program that there is not."""
    programs = chosen_programs(program)
    given = size_from(last_level) if last_level else None
    scale = (quick_scale if quick else full_scale)(programs, given, against)
    makers: dict[str, Callable[[PoolsScale], Sequence[Step]]] = {
        "before": _before,
        "before-malloc-free": _before_malloc_free,
        "memory": _memory,
        "times": _times,
        "malloc-free": _malloc_free,
        "code": _code,
        "checks": _checks,
        "dynamorio": _dynamorio,
    }
    judged = "the goals" if scale.judges else "nothing: --quick has few runs of small inputs"
    facts = [("compared with", f"commit {scale.against}"), ("what it judges", judged)]
    steps = {part: partial(make, scale) for part, make in makers.items()}
    return Prepared(steps, tables(scale), scale.last_level, facts)


def _before(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def of(program: Runnable, budget: Budget) -> Step:
        measure = partial(before.program_rows, program=program, builds=builds, budget=budget, races=races)
        return Step("before", str(program), measure, _expected(scale, 2), gathers=races)

    steps = [of(START_UP, scale.start_up), *(of(program, scale.times) for program in scale.ten)]
    return [*steps, conclusion("before", "mean", partial(before.mean_goals, races))]


def _before_malloc_free(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()
    measure = partial(before.malloc_free_rows, builds=builds, budget=scale.malloc_free, races=races)
    steps = _of_patterns("before-malloc-free", scale, measure, workloads=2, races=races)
    return [*steps, conclusion("before-malloc-free", "means", partial(before.malloc_free_goals, races))]


def _memory(scale: PoolsScale) -> list[Step]:
    def of(program: Runnable, budget: Budget, kept: str = "") -> Step:
        measure = partial(memory_rows, program=program, budget=budget, kept=kept)
        return Step("memory", str(program), measure, 10.0)

    programs = [*scale.ten, *scale.few_live, *scale.real, *scale.others]
    patterns: Sequence[Case] = scale.patterns
    return [
        *(of(program, scale.memory) for program in programs),
        *(of(case, scale.patterns_memory, case.measure) for case in patterns),
    ]


def _times(scale: PoolsScale) -> list[Step]:
    return [
        Step(
            "times",
            f"{program}, huge pages {'on' if huge else 'off'}",
            partial(time_rows, program=program, pages=HugePages(huge), budget=scale.times),
            _expected(scale, 5),
        )
        for huge in (False, True)
        for program in [*scale.ten, *scale.few_live, *scale.real]
    ]


def _malloc_free(scale: PoolsScale) -> list[Step]:
    return _of_patterns("malloc-free", scale, partial(malloc_free_rows, budget=scale.malloc_free))


def _code(scale: PoolsScale) -> list[Step]:
    builds = Builds(scale.against)

    def counted(pattern: str, metric: str, count: Callable[[Command], int], objects: int) -> Step:
        work = Work(pattern, COUNTED_BYTES, objects)
        measure = partial(code.counted_rows, work=work, builds=builds, metric=metric, count=count)
        return Step("code", f"{metric.replace('_', ' ')}, {pattern}", measure, 20.0)

    objects = scale.counted_objects
    followed = partial(code.hot_path_rows, work=Work("now", COUNTED_BYTES, objects), builds=builds)
    return [
        *(counted(pattern, code.INSTRUCTIONS, count_instructions, objects) for pattern in PATTERNS),
        counted("now", code.FORWARDED, forwarded_loads_of, objects // TRACED),
        Step("code", "simulated cycles", followed, 5.0),
    ]


def _checks(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def counted(pattern: str) -> Step:
        work = Work(pattern, COUNTED_BYTES, scale.counted_objects)
        measure = partial(checks.instruction_goals, work=work, builds=builds)
        return Step("checks", f"instructions, {pattern}", measure, 5.0)

    def of(program: Runnable) -> Step:
        measure = partial(
            checks.program_rows, program=program, builds=builds, budget=scale.times, races=races
        )
        return Step("checks", str(program), measure, _expected(scale, 2), gathers=races)

    timed = partial(checks.time_goals, builds=builds, budget=scale.malloc_free)
    return [
        *map(counted, PATTERNS),
        *_of_patterns("checks", scale, timed),
        *map(of, scale.ten),
        conclusion("checks", "mean", partial(checks.mean_goals, races)),
    ]


def _dynamorio(scale: PoolsScale) -> list[Step]:
    return [
        Step(
            "dynamorio",
            str(program),
            partial(dynamorio_rows, program=program, budget=scale.times),
            _expected(scale, 6),
        )
        for program in scale.ten
    ]


def _of_patterns(
    part: str,
    scale: PoolsScale,
    measure: Callable[..., Found],
    workloads: int = 1,
    races: Races | None = None,
) -> list[Step]:
    """A step for each pattern, at all sizes."""
    works = {
        pattern: [Work(pattern, size, scale.objects) for size in scale.object_sizes] for pattern in PATTERNS
    }
    expected = workloads * len(scale.object_sizes) * (scale.malloc_free.seconds if scale.judges else 1.0)
    return [
        Step(part, pattern, partial(measure, works=found), expected, gathers=races)
        for pattern, found in works.items()
    ]


def _expected(scale: PoolsScale, variants: int) -> float:
    """Seconds for a program: a run of one takes a second or so."""
    return max(scale.times.seconds, 0.7 * variants * (scale.times.fewest + 1)) if scale.judges else 2.0


SUITE = Suite(
    "the pool heap against its former self and against the general allocators",
    PARTS,
    prepare,
    choosing=("program",),
)
