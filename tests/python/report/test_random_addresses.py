"""Functions, files and lines of the frames at random addresses, as LLVM's symbolizer has them."""

import os.path
import random
from pathlib import Path

import pytest

from malloom.profile import Module
from malloom.report.names import demangle
from malloom.report.source_calls import SourceCall
from malloom.report.symbols import Symbols
from python.report.compiled_programs import calls_of_llvm, compiled, function_addresses, unit_names
from some import some

ADDRESSES = 1000
SEED = 36
LEVELS = {
    "gcc": ["-O1", "-O2", "-O3"],
    "g++": ["-O1", "-O2", "-O3"],
    "clang-19": ["-O1", "-O2", "-O3"],
    "clang++-19": ["-O1", "-O2", "-O3"],
    "rustc": ["-Copt-level=1", "-Copt-level=2", "-Copt-level=3"],
}
AT_2 = [(compiler, level) for compiler, levels in LEVELS.items() for level in levels if level.endswith("2")]


def calls_of_malloom(program: Path, addresses: list[int]) -> dict[int, list[SourceCall]]:
    """As the reports show them; those ask about return addresses, which lie one further on."""
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], program.parent)
    found = reader.places((0, address + 1) for address in addresses)
    return {
        address: [SourceCall(place.function, place.file, place.line) for place in found[0, address + 1]]
        for address in addresses
    }


def as_shown(call: SourceCall, units: set[str]) -> SourceCall:
    """What LLVM says in the words of the reports: with the name demangled, and the path without `..`.

    Where there is no debug information LLVM names the linker's unit in place of a file.
    """
    is_unit = call.line == 0 and call.file in units
    file = "" if is_unit or not call.file else os.path.normpath(call.file)
    return SourceCall(demangle(call.function), file, call.line)


@pytest.mark.parametrize(
    ("compiler", "level"),
    some(*AT_2, of=[(compiler, level) for compiler, levels in LEVELS.items() for level in levels]),
)
def test_frames_are_those_of_llvm_at_random_addresses(tmp_path: Path, compiler: str, level: str) -> None:
    program = compiled(tmp_path, compiler, level)
    every, units = function_addresses(program), unit_names(program)
    addresses = random.Random(SEED).sample(every, min(ADDRESSES, len(every)))
    mine = calls_of_malloom(program, addresses)
    theirs = {
        address: [as_shown(call, units) for call in calls]
        for address, calls in calls_of_llvm(program, addresses).items()
    }
    differing = [(hex(at), mine[at], theirs[at]) for at in addresses if mine[at] != theirs[at]]
    assert differing == []
    # The programs in C are smaller. Of the others most addresses lie in inlined functions.
    if compiler not in ("gcc", "clang-19"):
        assert len(addresses) == ADDRESSES
        assert sum(len(calls) > 1 for calls in mine.values()) > ADDRESSES / 2
