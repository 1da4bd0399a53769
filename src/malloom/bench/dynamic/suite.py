"""The suite dynamic: pools per call site and prefetches, as Zhao, Rabbah and Wong measure them."""

from functools import partial
from typing import Annotated

import typer

from malloom.bench.dynamic.fallback_cost import MIMALLOC, PATTERN, fallback_cost_rows
from malloom.bench.dynamic.few_requests import few_request_rows
from malloom.bench.dynamic.goals import time_goals
from malloom.bench.dynamic.malloc_free import malloc_free_rows
from malloom.bench.dynamic.memory import memory_rows
from malloom.bench.dynamic.misses import MACHINES, Counted, counted_rows
from malloom.bench.dynamic.other_inputs import OTHERS, other_input_rows
from malloom.bench.dynamic.other_sizes import (
    CHECKED_ON,
    HEAT_ROUNDS,
    HELD_AT,
    LARGEST_LEVEL,
    RACED_AT,
    Learned,
    other_size_means,
    other_size_rows,
)
from malloom.bench.dynamic.prefetches import prefetch_rows
from malloom.bench.dynamic.scale import QUICK_LAST_LEVEL, DynamicScale, full_scale, quick_scale
from malloom.bench.dynamic.tables import tables
from malloom.bench.dynamic.times import LEARNED_AT, Sized, time_rows
from malloom.bench.gathered import Races
from malloom.bench.malloc_free import PATTERNS
from malloom.bench.real_programs import gzip, sha256sum
from malloom.bench.room import memory_for
from malloom.bench.sized_by_cache import LastLevel, last_level_of, refuse_seconds, sizes_of
from malloom.bench.steps import Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.ten_programs import (
    BESIDE_THE_TEN,
    PROGRAMS,
    ChosenPrograms,
    chosen_programs,
    heap_bytes,
    sized,
)

PARTS = {
    "times": "tables 1 and 2: CPU time and peak memory, and the goals over programs",
    "other-sizes": "what `malloom optimize` keeps, at a quarter to sixteen times the learned heap",
    "other-inputs": "plans of each kind where the program does other things than it was learned on",
    "few-requests": "programs that allocate little, under DynamoRIO",
    "prefetches": "table 3: how many prefetches the optimiser injects",
    "misses": "cachegrind's counts with the caches of the paper's machines",
    "malloc-free": "a malloc and a free together, with one and with two threads",
    "memory": "memory still in use after everything is freed",
}
SECONDS = 120.0
SECONDS_PER_BYTE = 1e-8
"""What a run of a program natively takes for each byte of its heap: a guess for the first estimate only."""
RUNS_TO_OPTIMIZE, VARIANTS = 120, 18
"""What `malloom optimize` takes, and how many runs a round has: the same."""


def prepare(
    quick: bool,
    program: ChosenPrograms = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="SIZES",
            help="Sizes of the heaps against the last-level cache, of 0.5x,2x,8x. Default: 0.5x and 2x, and "
            "all three of ft.",
            show_default=False,
        ),
    ] = "",
    last_level: LastLevel = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Time for the runs of each program at a size; six rounds are measured however long they "
            f"take. Default: {SECONDS:.0f}.",
            show_default=False,
        ),
    ] = None,
) -> Prepared:
    """The suite with what was chosen. Raises UsageProblem for a program or a size that there is not."""
    programs = chosen_programs(program or (*PROGRAMS, *BESIDE_THE_TEN))
    refuse_seconds(quick, seconds)
    wanted, sized_by = sizes_of(sizes), last_level_of(last_level, quick, QUICK_LAST_LEVEL)
    if quick:
        return _prepared(quick_scale(programs, wanted, sized_by))
    return _prepared(full_scale(programs, wanted, sized_by, SECONDS if seconds is None else seconds))


def _prepared(scale: DynamicScale) -> Prepared:
    makers = {
        "times": _times,
        "other-sizes": _other_sizes,
        "other-inputs": _other_inputs,
        "few-requests": _few_requests,
        "prefetches": _prefetches,
        "misses": _misses,
        "malloc-free": _malloc_free,
        "memory": _memory,
    }
    return Prepared({part: partial(make, scale) for part, make in makers.items()}, tables(), scale.last_level)


def _times(scale: DynamicScale) -> list[Step]:
    races = Races()
    steps = []
    for size in dict.fromkeys(size for sizes in scale.sizes.values() for size in sizes):
        for program in (name for name, sizes in scale.sizes.items() if size in sizes):
            wanted = Sized(program, size, scale.last_level)
            measure = partial(
                time_rows,
                wanted=wanted,
                seconds=scale.optimize_seconds,
                budget=scale.times,
                races=races,
            )
            expected = _expected(size, scale)
            memory = memory_for(wanted.bytes)
            steps.append(Step("times", str(wanted.case), measure, expected, memory=memory, gathers=races))
    return [*steps, conclusion("times", "goals", partial(time_goals, races))]


def _expected(size: str, scale: DynamicScale) -> float:
    """Seconds: optimising, then rounds."""
    run = SECONDS_PER_BYTE * heap_bytes(size, scale.last_level)
    return RUNS_TO_OPTIMIZE * run + max(scale.times.seconds, VARIANTS * run * (scale.times.fewest + 1))


def _other_sizes(scale: DynamicScale) -> list[Step]:
    races, last_level = Races(), min(scale.last_level, LARGEST_LEVEL)
    steps = [
        Step(
            "other-sizes",
            program,
            partial(
                other_size_rows,
                wanted=Learned(program, last_level),
                seconds=scale.optimize_seconds,
                budget=scale.other_sizes,
                races=races,
            ),
            _expected_of_others(scale, last_level),
            last_level=last_level,
            memory=memory_for(heap_bytes(RACED_AT[-1], last_level)),
            gathers=races,
        )
        for program in scale.sizes
    ]
    return [*steps, conclusion("other-sizes", "means", partial(other_size_means, races))]


def _expected_of_others(scale: DynamicScale, last_level: int) -> float:
    """Seconds: optimising, then races of the program as it is, twice, and with what is kept; and heats."""
    budget, heaps = scale.other_sizes, [heap_bytes(size, last_level) for size in RACED_AT]
    races = sum(max(budget.seconds, 3 * SECONDS_PER_BYTE * heap * (budget.fewest + 1)) for heap in heaps)
    races += sum(HEAT_ROUNDS * VARIANTS * SECONDS_PER_BYTE * heap_bytes(size, last_level) for size in HELD_AT)
    return RUNS_TO_OPTIMIZE * SECONDS_PER_BYTE * heap_bytes(CHECKED_ON, last_level) + races


def _other_inputs(scale: DynamicScale) -> list[Step]:
    measure = partial(other_input_rows, requests=scale.other_requests, budget=scale.few_requests)
    return [
        Step("other-inputs", how, partial(measure, how=how), scale.few_requests.seconds) for how in OTHERS
    ]


def _few_requests(scale: DynamicScale) -> list[Step]:
    budget = scale.few_requests
    programs = (gzip(scale.document_megabytes), sha256sum(scale.document_megabytes))
    return [
        Step(
            "few-requests",
            str(program),
            partial(few_request_rows, program=program, budget=budget),
            budget.seconds,
        )
        for program in programs
    ]


def _prefetches(scale: DynamicScale) -> list[Step]:
    expected = 4 * SECONDS_PER_BYTE * heap_bytes(LEARNED_AT, scale.last_level)
    cases = [sized(program, LEARNED_AT, scale.last_level) for program in scale.sizes if program in PROGRAMS]
    return [Step("prefetches", str(case), partial(prefetch_rows, case=case), expected) for case in cases]


def _misses(scale: DynamicScale) -> list[Step]:
    wanted = [
        Counted(program, machine, scale.counted_size) for machine in MACHINES for program in scale.counted
    ]
    return [
        Step(
            "misses",
            str(counted.case),
            partial(counted_rows, counted=counted),
            60.0,
            last_level=counted.last_level,
        )
        for counted in wanted
    ]


def _malloc_free(scale: DynamicScale) -> list[Step]:
    patterns = partial(
        malloc_free_rows, sizes=scale.object_sizes, objects=scale.objects, budget=scale.malloc_free
    )
    beside = partial(fallback_cost_rows, objects=scale.objects, budget=scale.malloc_free)
    seconds = scale.malloc_free.seconds
    return [
        *(
            Step(
                "malloc-free", pattern, partial(patterns, pattern=pattern), len(scale.object_sizes) * seconds
            )
            for pattern in PATTERNS
        ),
        *(
            Step(
                "malloc-free",
                f"{PATTERN} beside {MIMALLOC}, threads: {n}",
                partial(beside, threads=n),
                seconds,
            )
            for n in (1, 2)
        ),
    ]


def _memory(scale: DynamicScale) -> list[Step]:
    measure = partial(memory_rows, heap_bytes=scale.memory_bytes, budget=scale.memory)
    return [Step("memory", f"release_all {scale.memory_bytes} bytes", measure, 20.0)]


SUITE = Suite(
    "Zhao, Rabbah and Wong: pools per call site, prefetches while a program runs",
    PARTS,
    prepare,
    choosing=("program", "sizes"),
)
