"""The suite pools: the pool heap against its former self, and against the general allocators."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from malloom.bench.builds import Builds
from malloom.bench.cases import Case, Runnable
from malloom.bench.gathered import Races
from malloom.bench.malloc_free import PATTERNS, Work
from malloom.bench.pools import before, checks, code
from malloom.bench.pools.allocators import HugePages
from malloom.bench.pools.dynamorio import dynamorio_rows
from malloom.bench.pools.malloc_free import malloc_free_rows
from malloom.bench.pools.memory import memory_rows
from malloom.bench.pools.programs import START_UP
from malloom.bench.pools.scale import AGAINST, PoolsScale, full_scale, quick_scale
from malloom.bench.pools.simulation import forwarded_loads_of
from malloom.bench.pools.tables import tables
from malloom.bench.pools.times import time_rows
from malloom.bench.pools.tokens import token_means, token_rows
from malloom.bench.room import memory_for
from malloom.bench.steps import Bench, Found, Step, conclusion
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
    "tokens": "the ten programs with a compiler's tokens, against the same by call site",
}
COUNTED_BYTES = 64
TRACED = 10
"""Of how many counted objects one is traced: a trace has a line for each instruction."""
HEAP_OF_OTHERS = 300 << 20
"""Bytes of the largest heap of a program beside the ten: python3's had 280 MB, with its document of 40 MB."""
WRITTEN = 128 << 20
"""Bytes of the inputs of all programs together: 77 MB were measured."""
HEAP_OF_PATTERNS = 32 << 20
"""The same of what makes and frees objects one after the other: 28 MB were measured."""
VALGRINDS = 256 << 20
"""Bytes that valgrind takes beside its program: a guess."""
BUILT = 256 << 20
"""Bytes of another commit's sources and build: a guess, from sources of 8 MB."""
TRACE = 64 << 20
"""Bytes of a trace: 9 MB were measured, of 4,000 objects."""


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
        "tokens": _tokens,
    }
    judged = "the goals" if scale.judges else "nothing: --quick has few runs of small inputs"
    facts = [("compared with", f"commit {scale.against}"), ("what it judges", judged)]
    steps = {part: partial(make, scale) for part, make in makers.items()}
    return Prepared(steps, tables(scale), scale.last_level, facts)


def _before(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def of(program: Runnable, budget: Budget) -> Step:
        measure = partial(before.program_rows, program=program, builds=builds, budget=budget, races=races)
        return _of_program("before", scale, program, measure, _expected(scale, 2), BUILT, races)

    steps = [of(START_UP, scale.start_up), *(of(program, scale.times) for program in scale.ten)]
    return [*steps, conclusion("before", "mean", partial(before.mean_goals, races))]


def _before_malloc_free(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()
    measure = partial(before.malloc_free_rows, builds=builds, budget=scale.malloc_free, races=races)
    steps = _of_patterns("before-malloc-free", scale, measure, workloads=2, races=races, disk=BUILT)
    return [*steps, conclusion("before-malloc-free", "means", partial(before.malloc_free_goals, races))]


def _memory(scale: PoolsScale) -> list[Step]:
    def of(program: Runnable, budget: Budget, kept: str = "") -> Step:
        measure = partial(memory_rows, program=program, budget=budget, kept=kept)
        return _of_program("memory", scale, program, measure, 10.0)

    programs = [*scale.ten, *scale.few_live, *scale.real, *scale.others]
    patterns: Sequence[Case] = scale.patterns
    return [
        *(of(program, scale.memory) for program in programs),
        *(of(case, scale.patterns_memory, case.measure) for case in patterns),
    ]


def _times(scale: PoolsScale) -> list[Step]:
    return [
        replace(
            _of_program(
                "times",
                scale,
                program,
                partial(time_rows, program=program, pages=HugePages(huge), budget=scale.times),
                _expected(scale, 5),
            ),
            what=f"{program}, huge pages {'on' if huge else 'off'}",
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
        return _counted("code", f"{metric.replace('_', ' ')}, {pattern}", measure, 20.0)

    objects = scale.counted_objects
    followed = partial(code.hot_path_rows, work=Work("now", COUNTED_BYTES, objects), builds=builds)
    return [
        *(counted(pattern, code.INSTRUCTIONS, count_instructions, objects) for pattern in PATTERNS),
        counted("now", code.FORWARDED, forwarded_loads_of, objects // TRACED),
        _counted("code", "simulated cycles", followed, 5.0),
    ]


def _checks(scale: PoolsScale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def counted(pattern: str) -> Step:
        work = Work(pattern, COUNTED_BYTES, scale.counted_objects)
        measure = partial(checks.instruction_goals, work=work, builds=builds)
        return _counted("checks", f"instructions, {pattern}", measure, 5.0)

    def of(program: Runnable) -> Step:
        measure = partial(
            checks.program_rows, program=program, builds=builds, budget=scale.times, races=races
        )
        return _of_program("checks", scale, program, measure, _expected(scale, 2), BUILT, races)

    timed = partial(checks.time_goals, builds=builds, budget=scale.malloc_free)
    return [
        *map(counted, PATTERNS),
        *_of_patterns("checks", scale, timed, disk=BUILT),
        *map(of, scale.ten),
        conclusion("checks", "mean", partial(checks.mean_goals, races)),
    ]


def _dynamorio(scale: PoolsScale) -> list[Step]:
    return [
        _of_program(
            "dynamorio",
            scale,
            program,
            partial(dynamorio_rows, program=program, budget=scale.times),
            _expected(scale, 6),
        )
        for program in scale.ten
    ]


def _tokens(scale: PoolsScale) -> list[Step]:
    races = Races()

    def of(program: Case) -> Step:
        measure = partial(token_rows, case=program, budget=scale.times, races=races)
        return _of_program("tokens", scale, program, measure, _expected(scale, 4), races=races)

    return [*map(of, scale.ten), conclusion("tokens", "mean", partial(token_means, races))]


def _of_program(
    part: str,
    scale: PoolsScale,
    program: Runnable,
    measure: Callable[[Bench], Found],
    seconds: float,
    disk: int = 0,
    races: Races | None = None,
) -> Step:
    """With the memory of its heap, and the disk for its input and, where others are built, so much more."""
    heap = scale.heap_of_ten if program in scale.ten else HEAP_OF_OTHERS
    memory, disk = memory_for(heap), disk + (0 if program in scale.ten else WRITTEN)
    return Step(part, str(program), measure, seconds, memory=memory, disk=disk, gathers=races)


def _counted(part: str, what: str, measure: Callable[[Bench], Found], seconds: float) -> Step:
    """Under valgrind, with other builds beside."""
    memory = memory_for(HEAP_OF_PATTERNS) + VALGRINDS
    return Step(part, what, measure, seconds, memory=memory, disk=BUILT + TRACE)


def _of_patterns(
    part: str,
    scale: PoolsScale,
    measure: Callable[..., Found],
    workloads: int = 1,
    races: Races | None = None,
    disk: int = 0,
) -> list[Step]:
    """A step for each pattern, at all sizes."""
    works = {
        pattern: [Work(pattern, size, scale.objects) for size in scale.object_sizes] for pattern in PATTERNS
    }
    expected = workloads * len(scale.object_sizes) * (scale.malloc_free.seconds if scale.judges else 1.0)
    return [
        Step(
            part,
            pattern,
            partial(measure, works=found),
            expected,
            memory=memory_for(HEAP_OF_PATTERNS),
            disk=disk,
            gathers=races,
        )
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
