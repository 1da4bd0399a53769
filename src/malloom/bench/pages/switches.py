"""Two heaps with one unit: the cycles that saving its state takes, and restoring it."""

from collections.abc import Sequence
from functools import partial

from malloom.bench.cases import Case
from malloom.bench.numbers import number_rows
from malloom.bench.pages.simulation import BETTER, HARDWARE, LINEAR, SimulatedCore
from malloom.bench.steps import Bench, Step
from malloom.measure.rows import Row

PART = "switches"
CYCLES = "switch_cycles"
CASE = Case("switches", ("cycles",), "")
COUNTED = ("save", "restore")
"""As firmware/benchmarks/pages/switches.cpp prints them."""


def steps(core: SimulatedCore) -> list[Step]:
    return [Step(PART, "a unit's state", partial(_rows, core=core), 1.0)]


def _rows(
    bench: Bench, core: SimulatedCore, variants: Sequence[str] = (HARDWARE, BETTER, LINEAR)
) -> list[Row]:
    rows: list[Row] = []
    for variant in variants:
        bench.say(f"counting cycles between two heaps: {variant}")
        cycles = map(int, core.printed(CASE, variant).split())
        rows += number_rows(("switch of heaps", variant), CYCLES, dict(zip(COUNTED, cycles, strict=True)))
    return rows
