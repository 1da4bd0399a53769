"""The parts of the suite as lists of steps."""

from collections.abc import Callable, Sequence
from functools import partial

from malloom.bench.dynamic.pairs import PATTERNS, Work
from malloom.bench.goals import Goal
from malloom.bench.pools import before, checks, code
from malloom.bench.pools.allocators import HugePages
from malloom.bench.pools.builds import Builds
from malloom.bench.pools.dynamorio import dynamorio_rows
from malloom.bench.pools.means import Races
from malloom.bench.pools.memory import memory_rows
from malloom.bench.pools.pairs import pair_rows
from malloom.bench.pools.programs import START_UP, Program, of_case
from malloom.bench.pools.scale import Scale
from malloom.bench.pools.simulation import forwarded_loads_of
from malloom.bench.pools.times import time_rows
from malloom.bench.steps import Step
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.rows import Row
from malloom.measure.valgrind import count_instructions

Maker = Callable[[Scale], list[Step]]
COUNTED_BYTES = 64
TRACED = 10
"""Of how many counted pairs one is traced: a trace has a line for each instruction."""


def steps_of(parts: Sequence[str], scale: Scale) -> list[Step]:
    """The steps of the parts, in their order."""
    return [step for part in parts for step in MAKERS[part](scale)]


def _before(scale: Scale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def of(program: Program, budget: Budget) -> Step:
        measure = partial(before.program_rows, program=program, builds=builds, budget=budget, races=races)
        return Step("before", str(program), measure, _expected(scale, 2))

    steps = [of(START_UP, scale.start_up), *(of(program, scale.times) for program in scale.ten)]
    conclude = partial(before.mean_goals, races=races)
    return [*steps, Step("before", "mean", conclude, concludes=True)]


def _before_pairs(scale: Scale) -> list[Step]:
    builds, races = Builds(scale.against), Races()
    measure = partial(before.pairs_rows, builds=builds, budget=scale.pairs, races=races)
    conclude = partial(before.pairs_goals, races=races)
    steps = _of_patterns("before-pairs", scale, measure, races=2)
    return [*steps, Step("before-pairs", "means", conclude, concludes=True)]


def _memory(scale: Scale) -> list[Step]:
    def of(program: Program, budget: Budget, kept: str = "") -> Step:
        measure = partial(memory_rows, program=program, budget=budget, kept=kept)
        return Step("memory", str(program), measure, 10.0)

    programs = [*scale.ten, *scale.few_live, *scale.real, *scale.others]
    patterns = [of(of_case(case), scale.patterns_memory, case.phase) for case in scale.patterns]
    return [*(of(program, scale.memory) for program in programs), *patterns]


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

    def counted(pattern: str, metric: str, count: Callable[[Command], int], pairs: int) -> Step:
        work = Work(pattern, COUNTED_BYTES, pairs)
        measure = partial(code.counted_rows, work=work, builds=builds, metric=metric, count=count)
        return Step("code", f"{metric.replace('_', ' ')}, {pattern}", measure, 20.0)

    pairs = scale.counted_pairs
    followed = partial(code.hot_path_rows, work=Work("now", COUNTED_BYTES, pairs), builds=builds)
    return [
        *(counted(pattern, code.INSTRUCTIONS, count_instructions, pairs) for pattern in PATTERNS),
        counted("now", code.FORWARDED, forwarded_loads_of, pairs // TRACED),
        Step("code", "simulated cycles", followed, 5.0),
    ]


def _checks(scale: Scale) -> list[Step]:
    builds, races = Builds(scale.against), Races()

    def counted(pattern: str) -> Step:
        work = Work(pattern, COUNTED_BYTES, scale.counted_pairs)
        measure = partial(checks.instruction_goals, work=work, builds=builds)
        return Step("checks", f"instructions, {pattern}", measure, 5.0)

    def of(program: Program) -> Step:
        measure = partial(
            checks.program_rows, program=program, builds=builds, budget=scale.times, races=races
        )
        return Step("checks", str(program), measure, _expected(scale, 2))

    pairs = _of_patterns("checks", scale, partial(checks.pair_goals, builds=builds, budget=scale.pairs))
    conclude = partial(checks.mean_goals, races=races)
    return [
        *map(counted, PATTERNS),
        *pairs,
        *map(of, scale.ten),
        Step("checks", "mean", conclude, concludes=True),
    ]


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
    expected = races * len(scale.pair_sizes) * (scale.pairs.seconds if scale.judges else 1.0)
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
