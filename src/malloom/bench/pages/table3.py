"""Table 3: what the programs ask for, and what memory management in software takes of their cycles."""

from collections.abc import Sequence
from functools import partial

from malloom.bench.numbers import number_rows
from malloom.bench.pages import paper
from malloom.bench.pages.programs import PROGRAMS, Program, Scale
from malloom.bench.pages.simulation import COUNTED, LINEAR, SimulatedCore
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench, Step
from malloom.measure.rows import Row

PART = "table3"
ASKED = "asked"
SHARE = "management_share"


def steps(core: SimulatedCore, scale: Scale, programs: Sequence[Program] = PROGRAMS) -> list[Step]:
    return [
        Step(PART, str(each.case(scale)), partial(_rows, core=core, program=each, scale=scale), 20.0)
        for each in programs
    ]


def _rows(bench: Bench, core: SimulatedCore, program: Program, scale: Scale) -> list[Row]:
    case = program.case(scale)
    bench.say(f"simulating {case}: its requests, and {LINEAR}")
    (_, cycles), _ = side_by_side(
        (LINEAR, COUNTED),
        lambda variant: core.run(case, variant),
        lambda done: bench.progress(f"{case}, of 2", done),
    )
    requests = core.requests(case)
    papers = paper.BENCHMARKS[program.benchmark]
    asked = {
        "bytes a request": requests.bytes / requests.count,
        "paper's bytes": papers.bytes,
        "requests": requests.count,
        "releases": requests.releases,
    }
    share = {
        "percent for management": 100 * cycles.management / cycles.all,
        f"paper's percent, {program.benchmark}": 100 * papers.share,
    }
    return [*number_rows(case.place, ASKED, asked), *number_rows(case.place, SHARE, share)]
