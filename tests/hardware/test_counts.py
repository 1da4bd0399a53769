"""Gates and longest paths of the unit before optimisation: as many as the paper says, and no more."""

import json
import subprocess
from math import log2
from pathlib import Path

import pytest

from malloom.bench.pages import paper
from malloom.bench.pages.netlist import Design, Netlist, flat, gates_of, registers_of, simple
from malloom.bench.pages.table1 import CLOCK, FIND, GATES, fitted
from malloom.errors import CommandError
from structure.source_tree import ROOT

HARDWARE = ROOT / "hardware"
BITMAP_BITS = 510
"""Of eight pages: 256 chunks and half as many from class to class."""
ADDRESS_BITS = sum(range(1, 9))
"""Of all chunks' numbers: the first bit of each needs no multiplexer."""


@pytest.fixture(scope="module")
def unit() -> Netlist:
    return simple(Design(HARDWARE, "chunk_unit"))


def test_trees_have_a_gate_less_than_leaves(unit: Netlist) -> None:
    boxes = unit.boxes()
    assert boxes["or_tree"] == {"$_OR_": paper.TREE_GATES}
    assert boxes["and_tree"] == {"$_AND_": paper.TREE_GATES, "$_MUX_": paper.TREE_GATES - ADDRESS_BITS}


def test_every_cell_stands_in_a_box(unit: Netlist) -> None:
    cells = unit.cells()
    assert registers_of(unit.boxes()["bitmap_register"]) == BITMAP_BITS
    assert sum(cells.values()) == sum(sum(box.values()) for box in unit.boxes().values())
    assert gates_of(cells) <= paper.GATES


@pytest.mark.parametrize("leaves", [2, 8, 256])
def test_paths_of_trees_are_as_long_as_they_are_high(leaves: int) -> None:
    found = flat(Design(HARDWARE, "or_tree", (("LEAVES", leaves),)))
    assert found.depth_to("any_o") == log2(leaves)
    found = flat(Design(HARDWARE, "and_tree", (("LEAVES", leaves),)))
    assert found.depth_to("all_o") == log2(leaves)
    assert found.depth_to("first_o") == (2 * log2(leaves) - 1 if leaves > 2 else 0)


def test_a_find_takes_as_long_as_the_paper_says() -> None:
    """The page's. Three multiplexers choose one of the classes."""
    assert flat(Design(HARDWARE, "page_unit")).depth_to("found_o") == paper.DELAYS
    assert flat(Design(HARDWARE, "chunk_unit")).depth_to_signal("found") == paper.DELAYS + 2 * 3


def test_the_whole_memory_allocator_takes_four_delays_a_level() -> None:
    """108 at the paper's 27 levels."""
    for chunks in (64, 128):
        found = flat(Design(HARDWARE, "whole_memory_allocator", (("CHUNKS", chunks),)))
        assert found.depth_to("found_o") == 4 * log2(chunks)
        assert paper.MEMORY_DELAYS == 4 * paper.MEMORY_LEVELS


def test_a_fit_finds_what_it_is_made_of() -> None:
    found = {
        n: {GATES: 5 * n * log2(n) + 7 * n, FIND: 4 * log2(n) + 1, CLOCK: 6 * log2(n)} for n in (64, 128, 256)
    }
    assert fitted(found, 1 << 20) == {GATES: (5 * 20 + 7) << 20, FIND: 81, CLOCK: 120}


def test_cells_of_an_fpga_are_counted() -> None:
    tree = Design(HARDWARE, "or_tree", (("LEAVES", 16),)).netlist("synth_ice40 -top or_tree").cells()
    assert tree == {"SB_LUT4": 5}


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no Verilog"):
        simple(Design(tmp_path, "chunk_unit"))
    with pytest.raises(CommandError, match="yosys failed"):
        simple(Design(HARDWARE, "no_such_module"))


@pytest.mark.long
@pytest.mark.parametrize("part", ["table1", "table5", "cosimulation"])
def test_the_suite_measures_its_parts(part: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    command = [ROOT / ".venv/bin/malloom", "bench", "pages", "--quick", "--only", part, "--json", rows]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(rows.read_text())
    assert found["rows"]
    assert found["failures"] == []
