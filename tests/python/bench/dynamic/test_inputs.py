"""The programs' heaps are as large as was asked for, by the memory that they really have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.bench.dynamic import inputs
from malloom.bench.workloads import Case
from malloom.measure.process import Command, run_measured

WORKLOADS = Path(__file__).parents[4] / "build/release/workloads"
MB = 1_000_000
PROGRAMS = [
    inputs.ammp,
    inputs.art,
    inputs.em3d,
    inputs.equake,
    inputs.ft,
    inputs.health,
    inputs.mst,
    inputs.treeadd,
    inputs.tsp,
    inputs.twolf,
]


def overhead() -> int:
    """What a program without a heap has resident: its code, the C library, a stack."""
    return run_measured(Command([str(WORKLOADS / "traverse/traverse"), "1", "1"])).peak_memory


@pytest.mark.parametrize("megabytes", [8, 64])
@pytest.mark.parametrize("program", PROGRAMS)
def test_heap_is_as_large_as_asked_for(program: Callable[[int], Case], megabytes: int) -> None:
    case = program(megabytes * MB)
    run = run_measured(case.command(WORKLOADS))
    assert run.status == 0
    assert run.peak_memory - overhead() == pytest.approx(megabytes * MB, rel=0.15)
    assert case.phase in run.phases
