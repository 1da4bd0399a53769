"""The chunk unit in Icarus Verilog: the benches beside this compare each answer with bitmaps of their own."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware.rtl import UNIT, Done, Fault, run, with_fault
from structure.source_tree import ROOT

HARDWARE = ROOT / "hardware"
BENCH = ROOT / "tests/hardware/chunk_unit_bench.v"
WHOLE_MEMORY = ROOT / "tests/hardware/whole_memory_bench.v"
WINDOWS = ROOT / "tests/hardware/window_unit_bench.v"
WINDOW_FAULTS = (
    Fault("window.v", "|begins[31-SPAN:PAGE_BIT] & address_i", "address_i"),
    Fault("window.v", "is_beside_o & address_i[PAGE_BITS-1:SPAN]", "address_i[PAGE_BITS-1:SPAN]"),
    Fault("window.v", "~|address_i[SHIFT-1:0]", "1'b1"),
    Fault("window.v", "has_o  <= has_i", "has_o  <= 1'b1"),
    Fault("window_unit.v", "~|freed ? FREED_TWICE", "1'b0 ? FREED_TWICE"),
    Fault("window_unit.v", "hit & is_chunk & ~is_free;", "hit & is_chunk;"),
    Fault("window_unit.v", "fits[number+1] & ~fits[number]", "fits[number+1]"),
    Fault("window_unit.v", "is_begin & ~overlaps & ~|(replaced & has)", "is_begin & ~overlaps"),
    Fault("window_unit.v", "is_fill & is_begin & ~overlaps", "is_fill & is_begin"),
    Fault("window_unit.v", "~first_i[31] & |first_i[30:PAGE_BITS]", "|first_i[30:PAGE_BITS]"),
    Fault("window_unit.v", "~first_i[31] & |first_i[30:PAGE_BITS]", "~first_i[31]"),
    Fault("window_unit.v", "is_beside & ~{WAYS{named}}", "hit & ~{WAYS{named}}"),
    Fault("window_unit.v", ": is_drain ? rest", ": is_drain & |numbered ? rest"),
    Fault("window_unit.v", "first_i[30:0] | {31{first_i[31]}}", "first_i[30:0]"),
    Fault("window_unit.v", "~changes & ~fills & (~response_valid_o", "~fills & (~response_valid_o"),
    Fault("window_unit.v", "mask & ~chosen_chunk", "mask"),
    Fault("window_unit.v", ".enable_i (~fills)", ".enable_i (1'b1)"),
)
FAULT_OF_TWO_WAYS = Fault("window_unit.v", "hit & {WAYS{named}} & ~replaced", "1'b0")
COMPARED = HARDWARE / "synth/whole_memory_allocator.v"


def simulate(bench: Path, sources: Sequence[Path], folder: Path, *options: str) -> Done:
    top = ("-s", bench.stem, *options)
    built = run(["iverilog", "-g2005", "-Wall", "-o", folder / "bench", *top, bench, *sources])
    assert (built.returncode, built.stderr) == (0, "")
    return run(["vvp", "-n", folder / "bench"])


def test_every_answer_is_right(tmp_path: Path) -> None:
    assert simulate(BENCH, UNIT, tmp_path).stdout == "passed 2000 answers\n"


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
    done = simulate(BENCH, with_fault(fault, tmp_path), tmp_path)
    assert "passed" not in done.stdout
    assert "failed: round" in done.stdout


@pytest.mark.parametrize(
    ("ways", "fault"),
    [*((ways, fault) for fault in (None, *WINDOW_FAULTS) for ways in (1, 2)), (2, FAULT_OF_TWO_WAYS)],
    ids=str,
)
def test_the_window_unit(fault: Fault | None, ways: int, tmp_path: Path) -> None:
    """Right as it is, and wrong with each fault."""
    sources = with_fault(fault, tmp_path) if fault else UNIT
    done = simulate(WINDOWS, sources, tmp_path, f"-Pwindow_unit_bench.WAYS={ways}")
    assert done.stdout.startswith("failed: round" if fault else "passed 4000 answers\n")


@pytest.mark.parametrize(
    "command",
    [
        ["iverilog", "-g2005", "-t", "null", "-s", "window_unit", "-Pwindow_unit.WAYS=3", *UNIT],
        ["verilator", "--lint-only", "--top-module", "window_unit", "-GWAYS=3", *UNIT],
        ["yosys", "-q", "-p", "chparam -set WAYS 3 window_unit; hierarchy -check -top window_unit", *UNIT],
    ],
    ids=lambda command: command[0],
)
def test_more_ways_than_two_are_refused(command: Sequence[str | Path]) -> None:
    done = run(command)
    assert done.returncode != 0
    assert "ways_are_1_or_2" in done.stdout + done.stderr


def test_the_allocator_that_it_is_compared_with_is_right(tmp_path: Path) -> None:
    assert simulate(WHOLE_MEMORY, [*UNIT, COMPARED], tmp_path).stdout == "passed\n"


def test_a_fault_of_that_allocator_is_found(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.v"
    text = COMPARED.read_text()
    assert text.count("is_within[HEIGHT] | address") == 1
    damaged.write_text(text.replace("is_within[HEIGHT] | address", "address"))
    assert "failed: round" in simulate(WHOLE_MEMORY, [*UNIT, damaged], tmp_path).stdout


def test_the_picture_of_signals_shows_what_is_answered(tmp_path: Path) -> None:
    """Drawn of what these lines say (hardware/pictures/draw.sh)."""
    lines = simulate(HARDWARE / "pictures/waves.v", UNIT, tmp_path).stdout
    done = run([sys.executable, HARDWARE / "pictures/waves.py"], input=lines)
    waves = {wave["name"]: wave for wave in json.loads(done.stdout)["signal"]}
    assert waves["opcode_i"]["data"] == [
        "load",
        "find",
        "find",
        "find",
        "free",
        "free",
        "find",
        *["find"],
        *3 * ["free"],
    ]
    answers = ["0", "0", "1", "none free", "0", "0", "freed twice", *3 * ["1"], "0"]
    assert waves["response_o"]["data"] == answers
