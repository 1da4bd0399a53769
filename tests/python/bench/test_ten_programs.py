"""The ten programs: sizes against a last level, and heaps that are really so large."""

from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.bench.cases import Case
from malloom.bench.ten_programs import (
    BESIDE_THE_TEN,
    FEW_REQUESTS,
    MADE,
    PROGRAMS,
    SIZES,
    heap_bytes,
    known,
    sized,
)
from malloom.errors import UsageProblem
from malloom.measure.process import Command, run_measured
from python.bench.races import bench
from structure.source_tree import ROOT

WORKLOADS = ROOT / "build/release/workloads"
MB = 1_000_000
MEBIBYTE = 1 << 20


def overhead() -> int:
    """What a program without a heap has resident: its code, the C library, a stack."""
    return run_measured(Command([str(WORKLOADS / "traverse/traverse"), "1", "1"])).peak_memory


@pytest.mark.parametrize("megabytes", [8, 64])
@pytest.mark.parametrize(
    "program", [*MADE.values(), *BESIDE_THE_TEN.values()], ids=[*PROGRAMS, *BESIDE_THE_TEN]
)
def test_heap_is_as_large_as_asked_for(
    program: Callable[[int], Case], megabytes: int, tmp_path: Path
) -> None:
    case = program(megabytes * MB)
    run = run_measured(case.command(bench(WORKLOADS, tmp_path)))
    assert run.status == 0
    assert run.peak_memory - overhead() == pytest.approx(megabytes * MB, rel=0.15)
    assert case.measure in run.measures


def test_sizes_are_multiples_of_the_last_level() -> None:
    assert [heap_bytes(size, 32 * MEBIBYTE) // MEBIBYTE for size in SIZES] == [16, 64, 256]
    assert heap_bytes("0.125x", 32 * MEBIBYTE) == 4 * MEBIBYTE


def test_rows_name_the_size_and_not_the_arguments() -> None:
    small, large = (sized("ft", size, MEBIBYTE) for size in ("0.5x", "8x"))
    assert (small.place, large.place) == (("ft", "0.5x"), ("ft", "8x"))
    assert int(large.arguments[0]) > 10 * int(small.arguments[0])
    assert sized("ft", "8x", MEBIBYTE, "p4").input == "8x p4"


def test_every_program_has_inputs() -> None:
    assert len(PROGRAMS) == 10
    assert set(FEW_REQUESTS) < set(PROGRAMS)
    for program in PROGRAMS:
        assert sized(program, "0.5x", MEBIBYTE).place == (program, "0.5x")


def test_names_are_known_once_and_in_their_order() -> None:
    assert known("program", ["ft", "em3d", "ft"], PROGRAMS) == ["em3d", "ft"]
    with pytest.raises(UsageProblem, match="no program 'mcf'; choose of em3d, health, mst"):
        known("program", ["ft", "mcf"], PROGRAMS)
