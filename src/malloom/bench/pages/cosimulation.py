"""The page heap with the chunk unit and without, on the requests of real programs: every object compared."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from malloom.bench.cases import Case
from malloom.bench.numbers import number_rows
from malloom.bench.pages.netlist import run_tool
from malloom.bench.steps import Bench, Step
from malloom.errors import CommandError
from malloom.layout.bin_replay import events_of
from malloom.measure.rows import Row
from malloom.measure.stages import record
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, Requests

PART = "cosimulation"
ASKED = "asked"
PROGRAM = "malloom-chunk-cosim"
CASES = (
    Case("treeadd", ("12", "1"), ""),
    Case("health", ("3", "50"), ""),
    Case("continued_fraction", ("1000000016000000063",), ""),
    Case("spheres", ("10", "2"), ""),
    Case("sentences", ("100", "50"), ""),
)
"""Of the papers' programs, with inputs that take less than a second."""


def steps(built: Path, cases: Sequence[Case] = CASES) -> list[Step]:
    return [Step(PART, str(case), partial(_rows, built=built, case=case), 10.0) for case in cases]


def _rows(bench: Bench, built: Path, case: Case) -> list[Row]:
    bench.say(f"recording {case}")
    profile, operations = bench.file(case, "profile"), bench.file(case, "operations")
    record(case.command(bench).arguments, profile, "none")
    write_operations(HeapProfile.open(profile).requests, operations)
    bench.say(f"asking both heaps: {case}")
    return number_rows(case.place, ASKED, compared(built, operations))


def compared(built: Path, operations: Path) -> dict[str, int]:
    """What the unit was asked, how often, and its cycles. Raises CommandError where an object lies
    elsewhere than without the unit."""
    program = built / PROGRAM
    if not program.is_file():
        raise CommandError(f"there is no {program}", remedy="run setup/hardware.sh in malloom's source tree")
    words = run_tool(str(program), str(operations)).split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def write_operations(requests: Requests, path: Path) -> None:
    """As hardware/cosim/operations.h has them: a request by its bytes, a free by the complement of the
    request's number."""
    events = events_of(requests)
    sizes: I64 = requests.size.astype(np.int64)
    path.write_bytes(np.where(events >= 0, sizes[np.maximum(events, 0)], events).astype("<i8").tobytes())
