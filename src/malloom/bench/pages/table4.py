"""Table 4 and figure 3: cycles of the programs with each way to search bitmaps, against searching as the
paper's software does. Every one prints what the program prints on the host."""

import subprocess
from collections.abc import Sequence
from functools import partial

from malloom.bench.gathered import Gathered
from malloom.bench.numbers import number_rows
from malloom.bench.pages import paper
from malloom.bench.pages.programs import PROGRAMS, Program, Scale
from malloom.bench.pages.simulation import HARDWARE, LINEAR, VARIANTS, Cycles, SimulatedCore
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

PART = "table4"
MILLIONS, SPEEDUP, SAVED = "million_cycles", "speedup", "saved"
MANAGEMENT, OTHERS, PARTS = "management_cycles", "other_cycles", "management_parts"
PAPER = "paper"
MEAN = "mean"


class Measured(Gathered[dict[str, Cycles]]):
    """By variant."""

    kind = dict[str, Cycles]


def steps(core: SimulatedCore, scale: Scale, programs: Sequence[Program] = PROGRAMS) -> list[Step]:
    measured = Measured()

    def step(program: Program) -> Step:
        measure = partial(_measure, core=core, program=program, scale=scale, measured=measured)
        return Step(PART, str(program.case(scale)), measure, 200.0, gathers=measured)

    return [*map(step, programs), conclusion(PART, MEAN, lambda: mean_rows(measured))]


def _measure(bench: Bench, core: SimulatedCore, program: Program, scale: Scale, measured: Measured) -> Found:
    case = program.case(scale)
    bench.say(f"simulating {case}: {', '.join(VARIANTS)}")
    found = side_by_side(
        VARIANTS,
        lambda variant: core.run(case, variant),
        lambda done: bench.progress(f"{case}, of {len(VARIANTS)}", done),
    )
    on_host = case.command(bench).arguments
    expected = subprocess.run(on_host, capture_output=True, text=True, check=True).stdout
    for variant, (printed, _) in zip(VARIANTS, found, strict=True):
        if printed != expected:
            raise CommandError(f"{case} ({variant}) prints {printed!r}, and on the host {expected!r}")
    measured[case.place] = dict(zip(VARIANTS, (cycles for _, cycles in found), strict=True))
    return rows_of(case.place, measured[case.place], paper.BENCHMARKS[program.benchmark])


def rows_of(place: Place, cycles: dict[str, Cycles], papers: paper.Benchmark) -> list[Row]:
    """Of a program, with the paper's figures of the benchmark that it is or stands for."""
    linear, hardware = cycles[LINEAR], cycles[HARDWARE]
    millions = {variant: each.all / 1e6 for variant, each in cycles.items()}
    speedups = {variant: linear.all / each.all for variant, each in cycles.items()}
    saved = {variant: _saved(each, linear) for variant, each in cycles.items()}
    parts = {
        f"{variant}, {part}": number / 1e6
        for variant, each in ((LINEAR, linear), (HARDWARE, hardware))
        for part, number in (("all", each.management), ("pages", each.set_up), ("transfers", each.transfer))
    }
    return [
        *number_rows(place, MILLIONS, millions),
        *number_rows(place, SPEEDUP, {**speedups, PAPER: papers.speedup}),
        *number_rows(place, SAVED, {**saved, PAPER: 100 * papers.saved}),
        *number_rows(place, PARTS, parts),
        *_against_linear(place, cycles),
    ]


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


def mean_rows(measured: Measured) -> list[Row]:
    """Arithmetic, as the paper's."""
    if not measured:
        return []
    programs = list(measured.values())
    place = (MEAN, f"{len(programs)} programs")

    def mean(numbers: Sequence[float]) -> float:
        return sum(numbers) / len(numbers)

    saved = {name: mean([_saved(each[name], each[LINEAR]) for each in programs]) for name in VARIANTS}
    speedup = {name: mean([each[LINEAR].all / each[name].all for each in programs]) for name in VARIANTS}
    return [
        *number_rows(place, SPEEDUP, {**speedup, PAPER: paper.SPEEDUP_MEAN}),
        *number_rows(place, SAVED, {**saved, PAPER: 100 * paper.SAVED_MEAN}),
    ]
