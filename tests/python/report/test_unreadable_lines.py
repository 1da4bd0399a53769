"""Debug information that is damaged, too new or packed by another method takes no function's name away."""

import itertools
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from malloom.profile import Module
from malloom.report.debug_files import DebugInformation, find_debug_information
from malloom.report.symbols import Place, Symbols
from python.report.compiled_programs import compiled, return_addresses

COMPILERS = ["gcc", "clang-19"]
VERSION_AT = 4
"""Where a unit of .debug_info has its version: behind its length."""


def read(program: Path, returns: list[int]) -> tuple[list[list[Place]], list[str]]:
    """The places of those return addresses, and the notes."""
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], program.parent)
    found = reader.places((0, at) for at in returns)
    return [found[0, at] for at in returns], reader.notes


def expect_names_alone(whole: Path, broken: Path, reason: str) -> None:
    """That a report on `broken` has the functions that `whole` has without any debug information, and says
    why there is no more."""
    returns, bare = return_addresses(whole), whole.with_name("bare")
    subprocess.run(["strip", "--strip-debug", "-o", bare, whole], check=True)
    expected = [places[-1].function for places in read(bare, returns)[0]]
    assert "main" in expected
    found, notes = read(broken, returns)
    assert [[(place.function, place.line) for place in places] for places in found] == [
        [(function, 0)] for function in expected
    ]
    assert len(notes) == 1 and notes[0].startswith(f"{broken} gives no lines: ")
    assert reason in notes[0] and "\n" not in notes[0]


@pytest.mark.parametrize(
    ("compiler", "section"),
    [
        *itertools.product(COMPILERS, [".debug_info", ".debug_abbrev", ".debug_line"]),
        ("gcc", ".debug_rnglists"),
    ],
)
def test_names_survive_damage(tmp_path: Path, compiler: str, section: str) -> None:
    program = compiled(tmp_path, compiler, "-O2", "-gdwarf-5")
    broken, noise = tmp_path / "broken", tmp_path / "noise"
    noise.write_bytes(bytes(range(251)) * 40)
    subprocess.run(["objcopy", "--update-section", f"{section}={noise}", program, broken], check=True)
    expect_names_alone(program, broken, "cannot be read: ")
    assert find_debug_information(broken, "", tmp_path) == DebugInformation(broken, lies_apart=False)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_names_survive_a_version_to_come(tmp_path: Path, compiler: str) -> None:
    program = compiled(tmp_path, compiler, "-O2", "-gdwarf-5")
    with program.open("rb") as file:
        at = ELFFile(file).get_section_by_name(".debug_info")["sh_offset"] + VERSION_AT
    newer, data = tmp_path / "newer", bytearray(program.read_bytes())
    assert data[at : at + 2] == b"\5\0"
    data[at] = 9
    newer.write_bytes(data)
    expect_names_alone(program, newer, "unknown DWARF version: 9")
    assert find_debug_information(newer, "", tmp_path) == DebugInformation(newer, lies_apart=False)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_debug_information_in_zstd_is_read(tmp_path: Path, compiler: str) -> None:
    program = compiled(tmp_path, compiler, "-O2", "-gdwarf-5")
    returns = return_addresses(program)
    whole = read(program, returns)
    assert any(place.line for places in whole[0] for place in places)
    # Debian 12's gcc cannot pack it so itself.
    subprocess.run(["objcopy", "--compress-debug-sections=zstd", program], check=True)
    said = subprocess.run(["readelf", "-t", program], capture_output=True, text=True, check=True).stdout
    assert "ZSTD" in said
    assert read(program, returns) == whole
    assert find_debug_information(program, "", tmp_path) == DebugInformation(program, lies_apart=False)


def test_what_clang_writes_in_zstd_is_read(tmp_path: Path) -> None:
    whole = compiled(tmp_path, "clang-19", "-O2")
    expected = read(whole, return_addresses(whole))
    packed = compiled(tmp_path, "clang-19", "-O2", "-gz=zstd")
    assert read(packed, return_addresses(packed)) == expected
    assert find_debug_information(packed, "", tmp_path) == DebugInformation(packed, lies_apart=False)
