"""The suite predictions: what the simulation foretells of layouts of real programs, and what they take."""

from collections.abc import Callable, Sequence
from functools import partial

from malloom.bench.debian.programs import PROGRAMS, Program
from malloom.bench.goals import LIMIT
from malloom.bench.numbers import ONE
from malloom.bench.predictions.agreement import Predictions
from malloom.bench.predictions.measuring import CORRELATION, PREDICTED, TIME, WAITING, program_rows, summary
from malloom.bench.room import memory_for
from malloom.bench.steps import Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.layout.ranking import RECORDED
from malloom.measure.interleaved import Budget

SUMMARY = "all"
"""The part that concludes over the programs."""
PARTS = {
    **{program.name: program.work for program in PROGRAMS},
    SUMMARY: "means over the programs whose layouts differ, and the goal",
}
SECONDS, SECONDS_OF_A_QUICK_RUN = 300.0, 40.0
"""What a program takes: a guess."""
LARGEST_HEAP = 600 << 20
"""Bytes of the largest heap of them, and some for what planning it takes: a guess."""
WRITTEN = 2 << 30
"""Bytes of a program's input, its profile and its plans: a guess."""
SMALLER = 4
"""How many times smaller the inputs of a quick run are."""
FULL, QUICK = Budget(fewest=6, most=12, seconds=120.0), Budget(2, 2)


def prepare(quick: bool) -> Prepared:
    """With the suite programs' inputs, or quickly with smaller ones."""
    judged = Predictions()
    programs = [each.smaller(SMALLER) for each in PROGRAMS] if quick else list(PROGRAMS)
    steps: dict[str, Callable[[], Sequence[Step]]] = {
        program.name: partial(_steps, program, quick, judged) for program in programs
    }
    steps[SUMMARY] = lambda: [conclusion(SUMMARY, "means", partial(summary, judged))]
    return Prepared(steps, _tables())


def _steps(program: Program, quick: bool, judged: Predictions) -> list[Step]:
    measure = partial(program_rows, program=program, budget=QUICK if quick else FULL, judged=judged)
    expected = SECONDS_OF_A_QUICK_RUN if quick else SECONDS
    memory = memory_for(LARGEST_HEAP)
    return [Step(program.name, program.name, measure, expected, memory=memory, disk=WRITTEN, gathers=judged)]


def _tables() -> list[Table]:
    return [
        Table("How well predictions agree with measurements", "", CORRELATION, LIMIT),
        Table("CPU time measured, against the layout as recorded", "", TIME, RECORDED, turned=True),
        Table("CPU time predicted", "", PREDICTED, ONE, turned=True),
        Table("Waiting predicted", "", WAITING, ONE, turned=True),
    ]


SUITE = Suite("what simulation foretells of layouts of real programs, and what they take", PARTS, prepare)
