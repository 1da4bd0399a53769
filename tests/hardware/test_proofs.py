"""What is proven of a page of 256 chunks, and for each property a fault with which the proof fails."""

from pathlib import Path

import pytest

from hardware.rtl import UNIT, Done, Fault, run, with_fault
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


def prove(name: str, *sources: Path) -> Done:
    return run([PROOF / "prove.sh", name, *sources])


def test_each_property_has_a_fault() -> None:
    ports = PORT.findall((PROOF / "page_proof.v").read_text())
    assert [name for direction, name in ports if direction == "output"] == [*FAULTS]


@pytest.mark.parametrize("name", FAULTS)
def test_property_holds(name: str) -> None:
    done = prove(name, *UNIT)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Induction step proven: SUCCESS!" in done.stdout


@pytest.mark.parametrize("name", FAULTS)
def test_property_fails_with_its_fault(name: str, tmp_path: Path) -> None:
    done = prove(name, *with_fault(FAULTS[name], tmp_path))
    assert done.returncode == 1
    assert "SAT temporal induction proof finished - model found for base case: FAIL!" in done.stdout, (
        done.stdout[-3000:]
    )
