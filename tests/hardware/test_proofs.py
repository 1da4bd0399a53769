"""What is proven of a page of 256 chunks and of units, and for each property a fault with which it fails."""

from pathlib import Path

import pytest

from hardware.rtl import UNIT, Done, Fault, run, with_fault
from some import some
from structure.source_tree import ROOT
from structure.verilog import PORT

PROOF = ROOT / "hardware/proof"
FAULTS = {
    "lowest_o": Fault("and_tree.v", "lower ? upper_first : lower_first", "upper ? lower_first : upper_first"),
    "full_o": Fault("or_tree.v", "any_o = lower | upper", "any_o = lower & upper"),
    "once_o": Fault("bit_flipper.v", "(~chosen_i & bitmap_i)", "bitmap_i"),
    "refused_o": Fault("bit_flipper.v", "(chosen_i & state) | (~chosen_i & bitmap_i)", "chosen_i ^ bitmap_i"),
    "only_o": Fault("demultiplexer.v", "enable_i & ~address_i[BITS-1]", "enable_i"),
}


WINDOW_FAULTS = {
    "once_o": Fault("window_unit.v", "mask & ~chosen_chunk", "mask"),
    "lowest_o": FAULTS["lowest_o"],
    "refused_o": Fault("window_unit.v", "hit & is_chunk & ~is_free;", "hit & is_chunk;"),
    "only_o": Fault("window_unit.v", "filled[WINDOW] | drained[WINDOW]", "filled[WINDOW] | |drained"),
    "apart_o": Fault("window_unit.v", "is_fill & is_begin & ~overlaps", "is_fill & is_begin"),
    "known_o": Fault("window.v", "has_o  <= has_i", "has_o  <= 1'b1"),
}
"""What is proven together, as each follows from all in the cycles before."""
CHUNK_FAULTS = {
    "lowest_o": Fault("multiplexer.v", "select_i[SELECT_BITS-1] ? upper", "1'b0 ? upper"),
    "once_o": FAULTS["once_o"],
    "refused_o": Fault("chunk_unit.v", "is_free_chunk ? FREED_TWICE", "1'b0 ? FREED_TWICE"),
    "only_o": Fault("size_class.v", "(is_named_o & find_i)", "(find_i)"),
}
"""What is proven of the choice of a class."""
SMALL, MIDDLE, LARGE, WHOLE = (f"PAGE_BYTES={size}" for size in (128, 512, 1024, 4096))
"""Pages of eight chunks, of one window of 32 chunks, of two, and the paper's."""


def prove(proof: str, properties: str, *more: str | Path) -> Done:
    return run([PROOF / "prove.sh", proof, properties, *more])


def outputs_of(proof: str) -> list[str]:
    ports = PORT.findall((PROOF / f"{proof}.v").read_text())
    return [name for direction, name in ports if direction == "output"]


def is_proven(done: Done) -> bool:
    return done.returncode == 0 and "Induction step proven: SUCCESS!" in done.stdout


def is_refuted(done: Done) -> bool:
    found = "SAT temporal induction proof finished - model found for base case: FAIL!"
    return done.returncode == 1 and found in done.stdout


def test_each_property_has_a_fault() -> None:
    assert outputs_of("page_proof") == [*FAULTS]
    assert outputs_of("chunk_proof") == [*CHUNK_FAULTS]
    assert outputs_of("window_proof") == [*WINDOW_FAULTS]


def test_a_page_is_proven() -> None:
    done = prove("page_proof", ",".join(FAULTS), *UNIT)
    assert is_proven(done), done.stdout[-3000:]


@pytest.mark.parametrize("name", some("once_o", "full_o", of=FAULTS))
def test_property_fails_with_its_fault(name: str, tmp_path: Path) -> None:
    done = prove("page_proof", name, *with_fault(FAULTS[name], tmp_path))
    assert is_refuted(done), done.stdout[-3000:]


@pytest.mark.parametrize("size", some(SMALL, of=[SMALL, MIDDLE, LARGE]))
def test_the_window_unit_is_proven(size: str) -> None:
    done = prove("window_proof", ",".join(WINDOW_FAULTS), size, *UNIT)
    assert is_proven(done), done.stdout[-3000:]


@pytest.mark.parametrize("name", some("lowest_o", "only_o", "apart_o", "known_o", of=WINDOW_FAULTS))
def test_what_is_proven_of_windows_fails_with_its_fault(name: str, tmp_path: Path) -> None:
    done = prove("window_proof", name, SMALL, *with_fault(WINDOW_FAULTS[name], tmp_path))
    assert is_refuted(done), done.stdout[-3000:]


@pytest.mark.parametrize("size", [MIDDLE, pytest.param(WHOLE, marks=pytest.mark.long)])
def test_the_choice_of_classes_is_proven(size: str) -> None:
    done = prove("chunk_proof", ",".join(CHUNK_FAULTS), size, *UNIT)
    assert is_proven(done), done.stdout[-3000:]


@pytest.mark.parametrize("name", CHUNK_FAULTS)
def test_what_is_proven_of_classes_fails_with_its_fault(name: str, tmp_path: Path) -> None:
    done = prove("chunk_proof", name, SMALL, *with_fault(CHUNK_FAULTS[name], tmp_path))
    assert is_refuted(done), done.stdout[-3000:]
