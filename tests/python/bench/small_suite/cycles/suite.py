"""The suite cycles: what a simulator counts of a program, against a simulator that counts more."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.cases import OtherProgram
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench, Step
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, rows_of
from malloom.measure.variants import executed_by

PROGRAM = OtherProgram("true", "nothing", lambda _folder: ("/bin/true",))


def prepare(
    quick: bool,
    simulator: Annotated[
        Path, typer.Option(metavar="FILE", help="What executes the program and reports its cycles.")
    ] = Path("simulator"),
) -> Prepared:
    """With as many runs as an interval needs, unless quickly."""
    rounds = 2 if quick else 6
    measure = partial(cycle_rows, simulator=str(simulator), budget=Budget(fewest=rounds, most=rounds))
    table = Table("Cycles in the simulator", "cycles", "cycles", "slow")
    return Prepared({"cycles": lambda: [Step("cycles", str(PROGRAM), measure)]}, [table])


def cycle_rows(bench: Bench, simulator: str, budget: Budget) -> Sequence[Row | Goal]:
    variants = [executed_by(name, [simulator, name]) for name in ("slow", "fast")]
    rounds = bench.race(PROGRAM, variants, "slow", budget, "cycles")
    rows = rows_of(PROGRAM.place, rounds, "slow", ("cycles",))
    return [*rows, *(Goal(row, 0.5) for row in rows if row.variant == "fast")]


SUITE = Suite("cycles of a program in a simulator", {"cycles": "cycles of a whole run"}, prepare)
