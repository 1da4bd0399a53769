"""Lines of frames whose call the compiler has inlined: as addr2line gives them for the function itself."""

import subprocess
from pathlib import Path

import pytest

from malloom.profile import Module
from malloom.report.symbols import Symbols

HEADER = """
extern "C" int* made(int);
inline __attribute__((always_inline)) int* inner(int n) { return made(n + 1); }
inline __attribute__((always_inline)) int* outer(int n) {
    int* first = inner(n);
    return first ? inner(*first) : inner(n * 2);
}
"""
SOURCE = """
#include "wrappers.h"
namespace shapes {
__attribute__((noinline)) int use(int n) {
    int* one = outer(n);
    if (one == nullptr) return 0;
    int* two = inner(7);
    return *one + *two + n;
}
}
extern "C" __attribute__((noinline)) int* made(int n) { static int kept; kept = n; return &kept; }
int main(int count, char**) { return shapes::use(count); }
"""


def program_from(folder: Path, compiler: str, *flags: str) -> Path:
    (folder / "wrappers.h").write_text(HEADER)
    source, program = folder / "uses.cpp", folder / "uses"
    source.write_text(SOURCE)
    subprocess.run([compiler, "-O2", *flags, "-o", program, source], check=True)
    return program


def span_of_use(program: Path) -> tuple[int, int]:
    """Address and size of shapes::use."""
    symbols = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in symbols.splitlines() if line.endswith("shapes3useEi"))
    return int(words[0], 16), int(words[1], 16)


def lines_of_addr2line(program: Path, addresses: list[int]) -> list[list[str]]:
    """For each address file and line of every inlined function that it lies in, innermost first."""
    found = []
    for address in addresses:
        command = ["addr2line", "-i", "-e", program, hex(address)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found.append([line.rpartition("/")[2].partition(" ")[0] for line in said.splitlines()])
    return found


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_a_frame_has_the_line_of_its_own_function(tmp_path: Path, compiler: str, dwarf: str) -> None:
    program = program_from(tmp_path, compiler, dwarf)
    start, size = span_of_use(program)
    returns = list(range(start + 1, start + size + 1))
    places = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], tmp_path).places((0, at) for at in returns)
    expected = lines_of_addr2line(program, [at - 1 for at in returns])
    inlined = [chain for chain in expected if len(chain) > 1]
    assert inlined, "nothing was inlined: the test tests nothing"
    mine = [f"{Path(places[0, at].file).name}:{places[0, at].line}" for at in returns]
    assert {places[0, at].function for at in returns} == {"shapes::use(int)"}
    assert [line for line, chain in zip(mine, expected, strict=True) if line != chain[-1]] == []
