"""Frames of inlined functions, as addr2line and LLVM's symbolizer give them for every call of a program."""

import itertools
import subprocess
from pathlib import Path

import pytest

from malloom.profile import Module
from malloom.report.symbols import Place, Symbols
from python.report.compiled_programs import (
    Frame,
    compiled,
    frames_of_addr2line,
    frames_of_llvm,
    functions_of_addr2line,
    return_addresses,
)
from some import some

LEVELS = {"c": ["-O1", "-O2", "-O3"], "rust": ["-Copt-level=1", "-Copt-level=2", "-Copt-level=3"]}


def places_in(program: Path, folder: Path, build_id: str = "") -> dict[int, list[Place]]:
    """The places of every call of a program."""
    returns = return_addresses(program)
    module = Module(str(program), build_id, 0, 1 << 30, 0, 1)
    found = Symbols([module], folder).places((0, at) for at in returns)
    return {at: found[0, at] for at in returns}


def frames(places: list[Place]) -> list[Frame]:
    return [Frame(Path(place.file).name if place.line else "", place.line) for place in places]


def differing(mine: dict[int, list[Place]], expected: dict[int, list[Frame]]) -> list[object]:
    """Where a return address has other frames than its call, the address before it, has in `expected`."""
    return [
        (hex(at), frames(places), expected[at - 1])
        for at, places in mine.items()
        if frames(places) != expected[at - 1]
    ]


def _combination(compiler: str, dwarf: str, level: str) -> object:
    """All levels take minutes: `make soak` has them."""
    short = {
        "gcc": ("-gdwarf-5", "-O2"),
        "g++": ("-gdwarf-4", "-O3"),
        "clang-19": ("-gdwarf-4", "-O3"),
        "clang++-19": ("-gdwarf-5", "-O2"),
    }
    is_short = (dwarf, level) == short[compiler]
    return pytest.param(compiler, dwarf, level, marks=() if is_short else pytest.mark.long)


@pytest.mark.parametrize(
    ("compiler", "dwarf", "level"),
    [
        _combination(*chosen)
        for chosen in itertools.product(
            ["gcc", "g++", "clang-19", "clang++-19"], ["-gdwarf-4", "-gdwarf-5"], LEVELS["c"]
        )
    ],
)
def test_every_call_has_the_frames_that_other_tools_give_it(
    tmp_path: Path, compiler: str, dwarf: str, level: str
) -> None:
    program = compiled(tmp_path, compiler, dwarf, level)
    mine = places_in(program, tmp_path)
    assert any(len(places) > 1 for places in mine.values()), "nothing was inlined: the test tests nothing"
    calls = [at - 1 for at in mine]
    assert differing(mine, frames_of_llvm(program, calls)) == []
    # addr2line of binutils 2.40 loses the callers in what Clang writes as DWARF 5, and where a compiler has
    # kept no line for its own code.
    if compiler in ("gcc", "g++") or dwarf == "-gdwarf-4":
        known = {at: places for at, places in mine.items() if all(place.line for place in places)}
        assert any(len(places) > 1 for places in known.values())
        assert differing(known, frames_of_addr2line(program, calls)) == []


@pytest.mark.parametrize("level", some("-Copt-level=2", of=LEVELS["rust"]))
def test_rust_has_the_frames_that_llvm_gives_it(tmp_path: Path, level: str) -> None:
    program = compiled(tmp_path, "rustc", level)
    mine = places_in(program, tmp_path)
    assert any(len(places) > 1 for places in mine.values()), "nothing was inlined: the test tests nothing"
    assert differing(mine, frames_of_llvm(program, [at - 1 for at in mine])) == []


@pytest.mark.parametrize(
    ("compiler", "flags"),
    [
        ("gcc", ["-O2"]),
        pytest.param("g++", ["-O2"], marks=pytest.mark.long),
        pytest.param("clang-19", ["-O2", "-gdwarf-4"], marks=pytest.mark.long),
        ("clang++-19", ["-O2", "-gdwarf-4"]),
        ("rustc", ["-Copt-level=2"]),
    ],
)
def test_inlined_functions_have_the_names_that_addr2line_gives_them(
    tmp_path: Path, compiler: str, flags: list[str]
) -> None:
    program = compiled(tmp_path, compiler, *flags)
    mine = places_in(program, tmp_path)
    said = functions_of_addr2line(program, [at - 1 for at in mine])
    compared = [
        (place.function, theirs, {places[-1].function, said[at - 1][-1]})
        for at, places in mine.items()
        if len(places) == len(said[at - 1])
        for place, theirs in zip(places[:-1], said[at - 1], strict=False)
    ]
    assert len(compared) >= 4
    # What has no symbol of its own addr2line may name after the function that it was put into.
    assert [names for names in compared if names[0] != names[1] and names[1] not in names[2]] == []


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_functions_that_share_an_inlined_one_are_told_apart(tmp_path: Path, compiler: str) -> None:
    places = places_in(compiled(tmp_path, compiler, "-O2"), tmp_path)
    chains = [[(place.function, place.inlined) for place in found] for found in places.values()]
    for caller in ("push", "look"):
        assert [("xmalloc", True), (caller, True), ("main", False)] in chains


@pytest.mark.parametrize("flag", ["-pie", "-no-pie"])
def test_programs_that_lie_at_fixed_addresses_have_lines_too(tmp_path: Path, flag: str) -> None:
    program = compiled(tmp_path, "gcc", "-O2", flag)
    assert (
        differing(
            places_in(program, tmp_path),
            frames_of_llvm(program, [at - 1 for at in return_addresses(program)]),
        )
        == []
    )


def test_a_debug_file_apart_has_the_inlined_calls(tmp_path: Path) -> None:
    program = compiled(tmp_path, "g++", "-O2", "-Wl,--build-id=0xabcdef01")
    whole = places_in(program, tmp_path)
    debug = tmp_path / "debug/.build-id/ab/cdef01.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", "--compress-debug-sections", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    assert places_in(program, tmp_path / "debug", "abcdef01") == whole


def test_a_program_whose_debug_information_lies_apart_says_so(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O2", "-gsplit-dwarf")
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], tmp_path)
    returns = return_addresses(program)
    places = reader.places((0, at) for at in returns)
    assert "main" in {places[0, at][-1].function for at in returns}
    assert "build without -gsplit-dwarf" in reader.notes[0]
