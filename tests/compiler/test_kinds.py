"""No kind of instruction or constant is passed over: an address may go through each that the version of LLVM
has, and the program that does so is right when everything is split that may be."""

import re
import subprocess
from pathlib import Path

import pytest

from compiler import compiling, kinds, lanes
from compiler.kinds import NoProgram, Program

OPCODE = re.compile(r"^\s*HANDLE_\w+_INST\s*\(\s*\d+\s*,\s*(\w+)", re.MULTILINE)
CONSTANT = re.compile(r"^HANDLE_(?:CONSTANT|GLOBAL_VALUE|CONSTANT_EXCLUDE_LLVM_C_API)\((\w+)\)", re.MULTILINE)


def listed(file: str, pattern: re.Pattern[str]) -> set[str]:
    """The names in one of LLVM's own lists."""
    command = [f"llvm-config-{compiling.LLVM}", "--includedir"]
    folder = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    names = pattern.findall((Path(folder) / "llvm" / "IR" / file).read_text())
    return set(names) - {"ValueName"}


LISTED = listed("Instruction.def", OPCODE) | listed("Value.def", CONSTANT)
PROGRAMS = {
    f"{kind} {name}": each
    for kind, table in (("instruction", kinds.INSTRUCTIONS), ("constant", kinds.CONSTANTS))
    for name, each in table.items()
    if isinstance(each, Program) and name in LISTED
} | {f"lanes {name}": each for name, each in lanes.LANES.items()}
"""Of kinds that this version of LLVM has, and of intrinsics that move what they are given."""


@pytest.mark.parametrize(
    ("file", "pattern", "table"),
    [("Instruction.def", OPCODE, kinds.INSTRUCTIONS), ("Value.def", CONSTANT, kinds.CONSTANTS)],
    ids=["instructions", "constants"],
)
def test_each_kind_has_a_program_or_a_reason(
    file: str, pattern: re.Pattern[str], table: dict[str, Program | NoProgram]
) -> None:
    assert listed(file, pattern) - set(table) == set()
    assert all(each.why for each in table.values() if isinstance(each, NoProgram))


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_address_goes_through_it(name: str, tmp_path: Path) -> None:
    source = tmp_path / "program.ll"
    source.write_text(PROGRAMS[name].text())
    plain = compiling.run(compiling.compile_plainly(source, "-O1", tmp_path / "plain"))
    assert (plain.status, plain.out) == (0, kinds.OUT)
    bitcode = compiling.compile_object(source, "-O1", tmp_path / "bitcode.o")
    for level in ("-O1", "-O2"):
        compiling.link(source, [bitcode], level, "maximal", tmp_path / "split")
        assert compiling.run(tmp_path / "split") == plain
