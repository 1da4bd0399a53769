"""The chunk unit in Icarus Verilog: the bench beside this compares each answer with bitmaps of its own."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware.rtl import UNIT, Done, Fault, run, with_fault
from structure.source_tree import ROOT

BENCH = ROOT / "tests/hardware/chunk_unit_bench.v"


def simulate(sources: Sequence[Path], folder: Path) -> Done:
    built = run(
        ["iverilog", "-g2005", "-Wall", "-o", folder / "bench", "-s", "chunk_unit_bench", BENCH, *sources]
    )
    assert (built.returncode, built.stderr) == (0, "")
    return run(["vvp", "-n", folder / "bench"])


def test_every_answer_is_right(tmp_path: Path) -> None:
    assert simulate(UNIT, tmp_path).stdout == "passed 4000 answers\n"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("or_tree.v", "any_o = lower | upper", "any_o = lower"),
        Fault("and_tree.v", "lower ? upper_first : lower_first", "lower ? lower_first : upper_first"),
        Fault("bitmap_register.v", "if (reset_i)", "if (1'b0)"),
        Fault("size_class.v", "& ~is_beyond_o", ""),
        Fault("chunk_unit.v", "has_error ? waiting : wrong", "wrong"),
        Fault("chunk_unit.v", "& is_find & ~has_error", "& is_find"),
        Fault("chunk_unit.v", "~response_valid_o | response_ready_i", "1'b1"),
    ],
    ids=lambda fault: f"{fault.file}: {fault.wrong}",
)
def test_a_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    done = simulate(with_fault(fault, tmp_path), tmp_path)
    assert "passed" not in done.stdout
    assert "failed: round" in done.stdout
