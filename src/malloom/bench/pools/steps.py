"""The parts of the suite as lists of steps."""

from collections.abc import Callable, Sequence
from functools import partial

from malloom.bench.cachegrind import count_instructions
from malloom.bench.dynamic.pairs import PATTERNS, Work
from malloom.bench.goals import Goal
from malloom.bench.pools import before, checks, code
from malloom.bench.pools.allocators import HugePages
from malloom.bench.pools.builds import Builds
from malloom.bench.pools.dynamorio import dynamorio_rows
from malloom.bench.pools.memory import memory_rows
from malloom.bench.pools.pairs import pair_rows
from malloom.bench.pools.programs import START_UP, of_case
from malloom.bench.pools.scale import Scale
from malloom.bench.pools.simulation import forwarded_loads_of
from malloom.bench.pools.times import time_rows
from malloom.bench.rows import Row
from malloom.bench.steps import Bench, Step

Maker = Callable[[Scale], list[Step]]
COUNTED_BYTES = 64
TRACED = 10
"""Of how many counted pairs one is traced: a trace has a line for each instruction."""


def steps_of(parts: Sequence[str], scale: Scale) -> list[Step]:
    """The steps of the parts, in their order."""
    return [step for part in parts for step in MAKERS[part](scale)]


def _before(scale: Scale) -> list[Step]:
    builds, measured = Builds(scale.against), before.Measured()

    def of(bench: Bench, number: int) -> list[Row | Goal]:
        budget = scale.times if number else scale.start_up
        return before.program_rows(bench, programs[number], builds, budget, measured)

    programs = [START_UP, *scale.ten]
    steps = [
        Step("before", str(program), partial(of, number=number), _expected(scale, 2))
        for number, program in enumerate(programs)
    ]
    conclude = partial(before.mean_goals, measured=measured)
    return [*steps, Step("before", "mean", conclude, concludes=True)]


def _before_pairs(scale: Scale) -> list[Step]:
    builds, measured = Builds(scale.against), before.Measured()
    steps = _of_patterns(
        "before-pairs",
        scale,
        partial(before.pairs_rows, builds=builds, budget=scale.pairs, measured=measured),
        races=2,
    )
    conclude = partial(before.pairs_goals, measured=measured)
    return [*steps, Step("before-pairs", "means", conclude, concludes=True)]


def _memory(scale: Scale) -> list[Step]:
    programs = [*scale.ten, *scale.few_live, *scale.real, *scale.others]
    peaks = [
        Step("memory", str(program), partial(memory_rows, program=program, budget=scale.memory), 10.0)
        for program in programs
    ]
    kept = [
        Step(
            "memory",
            " ".join(case.place),
            partial(memory_rows, program=of_case(case), budget=scale.patterns_memory, kept=case.phase),
            10.0,
        )
        for case in scale.patterns
    ]
    return [*peaks, *kept]


def _times(scale: Scale) -> list[Step]:
    programs = [*scale.ten, *scale.few_live, *scale.real]
    return [
        Step(
            "times",
            f"{program}, huge pages {'on' if huge else 'off'}",
            partial(time_rows, program=program, pages=HugePages(huge), budget=scale.times),
            _expected(scale, 3),
        )
        for huge in (False, True)
        for program in programs
    ]


def _pairs(scale: Scale) -> list[Step]:
    return _of_patterns("pairs", scale, partial(pair_rows, budget=scale.pairs))


def _code(scale: Scale) -> list[Step]:
    builds = Builds(scale.against)

    def counted(pattern: str) -> Step:
        count = partial(
            code.counted_rows,
            work=Work(pattern, COUNTED_BYTES, scale.counted_pairs),
            builds=builds,
            metric=code.INSTRUCTIONS,
            count=count_instructions,
        )
        return Step("code", f"instructions, {pattern}", count, 20.0)

    one_at_a_time = Work("now", COUNTED_BYTES, scale.counted_pairs)
    traced = partial(
        code.counted_rows,
        work=Work("now", COUNTED_BYTES, scale.counted_pairs // TRACED),
        builds=builds,
        metric=code.FORWARDED,
        count=forwarded_loads_of,
    )
    followed = partial(code.hot_path_rows, work=one_at_a_time, builds=builds)
    return [
        *(counted(pattern) for pattern in PATTERNS),
        Step("code", "forwarded loads", traced, 20.0),
        Step("code", "simulated cycles", followed, 5.0),
    ]


def _checks(scale: Scale) -> list[Step]:
    builds, measured = Builds(scale.against), before.Measured()
    works = [Work(pattern, COUNTED_BYTES, scale.counted_pairs) for pattern in PATTERNS]
    instructions = [
        Step(
            "checks",
            f"instructions, {work.pattern}",
            partial(checks.instruction_goals, work=work, builds=builds),
            5.0,
        )
        for work in works
    ]
    pairs = _of_patterns("checks", scale, partial(checks.pair_goals, builds=builds, budget=scale.pairs))
    programs = [
        Step(
            "checks",
            str(program),
            partial(
                checks.program_rows, program=program, builds=builds, budget=scale.times, measured=measured
            ),
            _expected(scale, 2),
        )
        for program in scale.ten
    ]
    conclude = partial(checks.mean_goals, measured=measured)
    return [*instructions, *pairs, *programs, Step("checks", "mean", conclude, concludes=True)]


def _dynamorio(scale: Scale) -> list[Step]:
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
    part: str, scale: Scale, measure: Callable[..., Sequence[Row | Goal]], races: int = 1
) -> list[Step]:
    """A step for each pattern, at all sizes."""
    works = {
        pattern: [Work(pattern, size, scale.pairs_count) for size in scale.pair_sizes] for pattern in PATTERNS
    }
    expected = races * len(scale.pair_sizes) * scale.pairs.seconds
    return [Step(part, pattern, partial(measure, works=found), expected) for pattern, found in works.items()]


def _expected(scale: Scale, variants: int) -> float:
    """Seconds for a program: a run of one takes a second or so."""
    return max(scale.times.seconds, 0.7 * variants * (scale.times.fewest + 1)) if scale.judges else 2.0


MAKERS: dict[str, Maker] = {
    "before": _before,
    "before-pairs": _before_pairs,
    "memory": _memory,
    "times": _times,
    "pairs": _pairs,
    "code": _code,
    "checks": _checks,
    "dynamorio": _dynamorio,
}
PARTS = tuple(MAKERS)
