"""The parts of the suite as lists of steps."""

from collections.abc import Sequence
from functools import partial

from malloom.bench.dynamic.carried import Carrying
from malloom.bench.dynamic.goals import time_goals
from malloom.bench.dynamic.memory import memory_rows
from malloom.bench.dynamic.misses import MACHINES, Counted, miss_rows
from malloom.bench.dynamic.pairs import PATTERNS, pair_rows
from malloom.bench.dynamic.prefetches import prefetch_rows
from malloom.bench.dynamic.quiet import PROGRAMS as QUIET
from malloom.bench.dynamic.quiet import quiet_rows
from malloom.bench.dynamic.scale import Scale
from malloom.bench.dynamic.sizes import LEARNED_AT, heap_bytes, learned_and_chosen_at, sized
from malloom.bench.dynamic.times import Measured, Sized, time_rows
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench, Step
from malloom.measure.rows import Row

PARTS = ("times", "quiet", "prefetches", "misses", "pairs", "memory")
GROUPS: dict[str, Sequence[str]] = {}
SECONDS_PER_BYTE = 1e-8
"""What a run of a program natively takes for each byte of its heap: a guess for the first estimate only."""
RUNS_TO_LEARN, RUNS_TO_CHOOSE = 120, 120
"""What all learners take, recording and planning, and what the race of all that they learned takes."""


def steps_of(parts: Sequence[str], scale: Scale) -> list[Step]:
    """The steps of the parts, in their order."""
    makers = {
        "times": _times,
        "quiet": _quiet,
        "prefetches": _prefetches,
        "misses": _misses,
        "pairs": _pairs,
        "memory": _memory,
    }
    return [step for part in parts for step in makers[part](scale)]


def _times(scale: Scale) -> list[Step]:
    carrying, measured = Carrying(scale.choice, scale.optimize_seconds), Measured()
    steps = []
    for size in dict.fromkeys(size for sizes in scale.sizes.values() for size in sizes):
        for program in (name for name, sizes in scale.sizes.items() if size in sizes):
            measure = partial(
                _timed, program=program, size=size, scale=scale, carrying=carrying, measured=measured
            )
            steps.append(Step("times", f"{program} {size}", measure, _expected(size, scale)))
    conclude = partial(time_goals, measured=measured)
    return [*steps, Step("times", "goals", conclude, concludes=True)]


def _timed(
    bench: Bench, program: str, size: str, scale: Scale, carrying: Carrying, measured: Measured
) -> list[Row | Goal]:
    sizes = (size, *learned_and_chosen_at(size))
    case, learned_on, chosen_on = (sized(program, each, scale.last_level) for each in sizes)
    wanted = Sized(case, size, scale.last_level, heap_bytes(size, scale.last_level), learned_on, chosen_on)
    return time_rows(bench, wanted, carrying, scale.times, measured)


def _expected(size: str, scale: Scale) -> float:
    """Seconds: learning and choosing what is carried, then rounds of some ten runs."""
    sizes = (size, *learned_and_chosen_at(size))
    run, smaller, middle = (SECONDS_PER_BYTE * heap_bytes(each, scale.last_level) for each in sizes)
    learning = RUNS_TO_LEARN * smaller if size == LEARNED_AT else 0.0
    choosing = RUNS_TO_CHOOSE * middle + scale.choice.seconds
    return learning + choosing + max(scale.times.seconds, 10 * run * (scale.times.fewest + 1))


def _quiet(scale: Scale) -> list[Step]:
    budget = scale.quiet
    return [
        Step(
            "quiet",
            program,
            partial(quiet_rows, program=program, megabytes=scale.document_megabytes, budget=budget),
            budget.seconds,
        )
        for program in QUIET
    ]


def _prefetches(scale: Scale) -> list[Step]:
    def count(bench: Bench, program: str) -> list[Row]:
        return prefetch_rows(bench, sized(program, LEARNED_AT, scale.last_level))

    expected = 4 * SECONDS_PER_BYTE * heap_bytes(LEARNED_AT, scale.last_level)
    return [
        Step("prefetches", f"{program} {LEARNED_AT}", partial(count, program=program), expected)
        for program in scale.sizes
    ]


def _pairs(scale: Scale) -> list[Step]:
    def measure(bench: Bench, pattern: str) -> list[Row | Goal]:
        return pair_rows(bench, pattern, scale.pair_sizes, scale.pairs_count, scale.pairs)

    expected = len(scale.pair_sizes) * scale.pairs.seconds
    return [Step("pairs", pattern, partial(measure, pattern=pattern), expected) for pattern in PATTERNS]


def _memory(scale: Scale) -> list[Step]:
    measure = partial(memory_rows, heap_bytes=scale.ebb_bytes, budget=scale.ebb)
    return [Step("memory", f"ebb {scale.ebb_bytes} bytes", measure, 20.0)]


def _misses(scale: Scale) -> list[Step]:
    return [
        Step("misses", f"{program} {scale.counted_size} {machine}", partial(miss_rows, counted=counted), 60.0)
        for machine in MACHINES
        for program in scale.counted
        for counted in (Counted(program, machine, scale.counted_size),)
    ]
