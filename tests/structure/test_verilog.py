"""Verilog like all other sources: names, the order of the rooms, and what two tools have to say of it."""

import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from structure.layers import reachable, room_of
from structure.source_tree import ROOT, expect_silence, text_of
from structure.verilog import PRODUCT_VERILOG, VERILOG, instantiated_in, misnamed_ports, modules, modules_in

HARDWARE = [name for name in PRODUCT_VERILOG if name.startswith("hardware/")]
USED = {module for name in HARDWARE for module in instantiated_in(text_of(name))}
TOPS = [module for name in HARDWARE for module in modules_in(text_of(name)) if module not in USED]
"""All others are looked at within these."""
WAIVED = re.compile(r"lint_off|lint_save|verilator public")


def upward_instances(name: str, text: str) -> list[str]:
    room = room_of(name)
    assert room is not None, name
    homes = {
        module: {room_of(file) for file in modules().get(module, [])} for module in instantiated_in(text)
    }
    return [module for module, rooms in homes.items() if rooms and not rooms & reachable(room)]


def lint(top: str, *sources: Path) -> str:
    """What Verilator has to say of a module; empty where it is content. Delays are those of pictures."""
    command = ["verilator", "--lint-only", "-Wall", "--timing", "--top-module", top, *map(str, sources)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def elaborate(top: str, *sources: Path) -> str:
    """The same of Icarus Verilog."""
    command = ["iverilog", "-g2005", "-Wall", "-t", "null", "-s", top, *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_file_has_one_module_and_its_name() -> None:
    assert {name: modules_in(text_of(name)) for name in VERILOG} == {
        name: [PurePosixPath(name).stem] for name in VERILOG
    }


def test_ports_tell_their_direction() -> None:
    assert {name: found for name in VERILOG if (found := misnamed_ports(text_of(name)))} == {}


def test_no_upward_instance() -> None:
    found = {name: upward_instances(name, text_of(name)) for name in PRODUCT_VERILOG}
    assert {name: upward for name, upward in found.items() if upward} == {}


def test_no_warning_is_turned_off() -> None:
    """Of our own Verilog; in `warnings.vlt` are those of the processor."""
    assert [name for name in VERILOG if WAIVED.search(text_of(name))] == []


def test_verilog_is_free_of_lint() -> None:
    sources = [ROOT / name for name in HARDWARE]
    for top in TOPS:
        expect_silence(lint(top, *sources))
        expect_silence(elaborate(top, *sources))


@pytest.mark.parametrize("page", [64, 256, 1024, 8192])
def test_units_of_other_pages_are_free_of_lint(page: int) -> None:
    sources = [ROOT / name for name in HARDWARE]
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "chunk_unit", f"-GPAGE_BYTES={page}"]
    expect_silence(subprocess.run([*command, *sources], capture_output=True, text=True, check=False).stderr)


def test_instances_are_found() -> None:
    text = (
        "module a;\n    b #(.X(c(1)), .Y(2)) d (\n    .p(q)\n);\n    // e f (\n"
        "    always @(posedge x) begin\n    g h (\n    );\n    end\nendmodule\n"
    )
    assert instantiated_in(text) == ["b", "g"]
    assert modules_in(text) == ["a"]
    assert "multiplexer" in instantiated_in(text_of("hardware/rtl/chunk_unit.v"))


def test_upward_instance_is_found() -> None:
    assert upward_instances("hardware/rtl/made_up.v", "registered_chunk_unit x (\n") == [
        "registered_chunk_unit"
    ]
    assert upward_instances("firmware/simulated_core/made_up.v", "chunk_unit x (\n") == ["chunk_unit"]
    assert upward_instances("hardware/synth/made_up.v", "chunk_unit x (\n") == []


def test_lint_and_bad_names_are_found(tmp_path: Path) -> None:
    text = "module bad (\n    input  wire [1:0] a,\n    output wire o_b\n);\n    assign o_b = a;\nendmodule\n"
    (tmp_path / "bad.v").write_text(text)
    assert "Warning-" in lint("bad", tmp_path / "bad.v")
    assert misnamed_ports(text) == ["a", "o_b"]
