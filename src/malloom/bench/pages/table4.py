"""Table 4 and figure 3: cycles of the programs with each way to search bitmaps, against searching as the
paper's software does. Every one prints what the program prints on the host."""

import subprocess
from collections.abc import Sequence
from functools import partial

from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.pages import paper
from malloom.bench.pages.programs import HOLES, PROGRAMS, Program, Scale
from malloom.bench.pages.simulation import (
    BETTER,
    HARDWARE,
    IN_SOFTWARE,
    LINE_CYCLES,
    LINEAR,
    LONGEST_FIRST,
    VARIANTS,
    Cycles,
    SimulatedCore,
)
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

PART = "table4"
MILLIONS, SPEEDUP, SAVED = "million_cycles", "speedup", "saved"
MANAGEMENT, OTHERS, PARTS = "management_cycles", "other_cycles", "management_parts"
CODE_LINES, DATA_LINES, UNEXPLAINED = "other_code_lines", "other_data_lines", "other_cycles_unexplained"
"""Lines that the caches read outside of management, and what they leave of the difference of cycles there."""
PAIR = "cycles_of_a_pair"
PAPER = "paper"
MEAN = "mean"
MOST_OF_LINEAR, MOST_OF_HARDWARE = 0.30, 0.60
"""Of management cycles, what `better` may take in the mean."""


class Measured(Gathered[dict[str, Cycles]]):
    """By variant."""

    kind = dict[str, Cycles]


def steps(core: SimulatedCore, scale: Scale, programs: Sequence[Program] = PROGRAMS) -> list[Step]:
    measured = Measured()

    def step(program: Program) -> Step:
        measure = partial(_measure, core=core, program=program, scale=scale, measured=measured)
        return Step(PART, str(program.case(scale)), measure, 60.0, gathers=measured)

    return [
        *map(step, (*programs, HOLES)),
        Step(PART, "a malloc and its free", partial(_pair_rows, core=core), 20.0),
        conclusion(PART, MEAN, lambda: [*mean_rows(measured), *mean_goals(measured)]),
    ]


def _measure(bench: Bench, core: SimulatedCore, program: Program, scale: Scale, measured: Measured) -> Found:
    case = program.case(scale)
    # Before the simulations, which take minutes: what is missing is told at once.
    on_host = case.command(bench).arguments
    expected = subprocess.run(on_host, capture_output=True, text=True, check=True).stdout
    bench.say(f"simulating {case}: {', '.join(VARIANTS)}")
    runs = side_by_side(
        LONGEST_FIRST,
        lambda variant: core.run(case, variant),
        lambda done: bench.progress(f"{case}, of {len(VARIANTS)}", done),
    )
    found = dict(zip(LONGEST_FIRST, runs, strict=True))
    for variant, (printed, _) in found.items():
        if printed != expected:
            raise CommandError(f"{case} ({variant}) prints {printed!r}, and on the host {expected!r}")
    measured[case.place] = {variant: found[variant][1] for variant in VARIANTS}
    rows = rows_of(case.place, measured[case.place], paper.BENCHMARKS.get(program.benchmark))
    return [*rows, goal_of(case.place, measured[case.place])]


def rows_of(place: Place, cycles: dict[str, Cycles], papers: paper.Benchmark | None) -> list[Row]:
    """Of a program, with the paper's figures of the benchmark that it is or stands for, if it is such."""
    linear = cycles[LINEAR]
    millions = {variant: each.all / 1e6 for variant, each in cycles.items()}
    speedups = {variant: linear.all / each.all for variant, each in cycles.items()}
    saved = {variant: _saved(each, linear) for variant, each in cycles.items()}
    parts = {
        f"{variant}, {part}": number / 1e6
        for variant, each in cycles.items()
        if variant in (LINEAR, HARDWARE, BETTER)
        for part, number in (("all", each.management), ("pages", each.set_up), ("transfers", each.transfer))
    }
    return [
        *number_rows(place, MILLIONS, millions),
        *number_rows(place, SPEEDUP, speedups | ({PAPER: papers.speedup} if papers else {})),
        *number_rows(place, SAVED, saved | ({PAPER: 100 * papers.saved} if papers else {})),
        *number_rows(place, PARTS, parts),
        *number_rows(place, CODE_LINES, {variant: each.code_lines for variant, each in cycles.items()}),
        *number_rows(place, DATA_LINES, {variant: each.data_lines for variant, each in cycles.items()}),
        *number_rows(place, UNEXPLAINED, unexplained(cycles)),
        *_against_linear(place, cycles),
    ]


def unexplained(cycles: dict[str, Cycles]) -> dict[str, float]:
    """Per cent of linear's cycles outside of management: the difference there, less what the lines take that
    the small caches read more or less often, as code and data lie elsewhere."""
    linear = cycles[LINEAR]

    def lines(each: Cycles) -> int:
        return each.code_lines + each.data_lines

    return {
        variant: 100
        * (each.others - linear.others - LINE_CYCLES * (lines(each) - lines(linear)))
        / linear.others
        for variant, each in cycles.items()
    }


def _against_linear(place: Place, cycles: dict[str, Cycles]) -> list[Row]:
    linear = cycles[LINEAR]
    rows = []
    for variant, each in cycles.items():
        if variant != LINEAR:
            rows.append(row(place, variant, LINEAR, MANAGEMENT, exact(each.management / linear.management)))
            rows.append(row(place, variant, LINEAR, OTHERS, exact(each.others / linear.others)))
    return rows


def _saved(cycles: Cycles, linear: Cycles) -> float:
    """Per cent of memory management."""
    return 100 * (1 - cycles.management / linear.management)


def goal_of(place: Place, cycles: dict[str, Cycles]) -> Goal:
    """No software is to manage memory in fewer cycles than `better`."""
    quickest = min(cycles[variant].management for variant in IN_SOFTWARE)
    ratio = cycles[BETTER].management / quickest
    return against_limit(place, f"{BETTER}, of the quickest software's", MANAGEMENT, [ratio], 1.0)


def _of_the_paper(measured: Measured) -> list[dict[str, Cycles]]:
    return [cycles for (workload, _), cycles in measured.items() if workload != HOLES.workload]


def mean_goals(measured: Measured) -> list[Goal]:
    """What `better` is to save in the mean of the paper's programs."""
    programs = _of_the_paper(measured)
    if not programs:
        return []

    def goal(baseline: str, limit: float) -> Goal:
        ratios = [each[BETTER].management / each[baseline].management for each in programs]
        place, ratio = (MEAN, f"{len(programs)} programs"), sum(ratios) / len(ratios)
        return against_limit(place, f"{BETTER}, of {baseline}'s", MANAGEMENT, [ratio], limit)

    return [goal(LINEAR, MOST_OF_LINEAR), goal(HARDWARE, MOST_OF_HARDWARE)]


def _pair_rows(bench: Bench, core: SimulatedCore) -> list[Row]:
    bench.say("simulating pairs of malloc and free")
    found = side_by_side(VARIANTS, core.cycles_of_pairs, lambda done: bench.progress("pairs", done))
    at_once = found[0]
    return [
        found_row
        for name in at_once
        for found_row in number_rows(
            ("pairs", f"{name} at a time"),
            PAIR,
            {variant: each[name] for variant, each in zip(VARIANTS, found, strict=True)},
        )
    ]


def mean_rows(measured: Measured) -> list[Row]:
    """Arithmetic, as the paper's, over its programs."""
    programs = _of_the_paper(measured)
    if not programs:
        return []
    place = (MEAN, f"{len(programs)} programs")

    def mean(numbers: Sequence[float]) -> float:
        return sum(numbers) / len(numbers)

    saved = {name: mean([_saved(each[name], each[LINEAR]) for each in programs]) for name in VARIANTS}
    speedup = {name: mean([each[LINEAR].all / each[name].all for each in programs]) for name in VARIANTS}
    return [
        *number_rows(place, SPEEDUP, {**speedup, PAPER: paper.SPEEDUP_MEAN}),
        *number_rows(place, SAVED, {**saved, PAPER: 100 * paper.SAVED_MEAN}),
    ]
