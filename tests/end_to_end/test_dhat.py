"""Uses of each call site's objects, byte by byte, and bytes read and written, as valgrind's DHAT has them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "dhat_programs"
VALGRIND = Path("/usr/libexec/valgrind")
SATURATED = 0xFFFF
"""DHAT counts the uses of an object's byte up to here."""
DEPTH = 8
"""More frames than a call chain has that begins in main."""

# Both must run the same string functions of the C library, which chooses them by what the CPU says of itself;
# valgrind's says less than the machine's. What is switched off here leaves those for any x86-64.
PLAIN_FUNCTIONS = "glibc.cpu.hwcaps=" + ",".join(
    "-" + feature
    for feature in (
        *("AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "BMI2", "ERMS", "FSRM", "MOVBE", "SSSE3"),
        *("SSE4_1", "SSE4_2", "AVX_Fast_Unaligned_Load", "Fast_Unaligned_Load"),
    )
)
WIDEST = 16
"""Bytes that these load at once."""

Chain = tuple[tuple[str, int], ...]
"""The file and the line of each call, inlined ones too, from the request's to that in main."""
Finished = subprocess.CompletedProcess[str]


@dataclass
class Uses:
    """What a tool counts at a call site."""

    bytes_read: int = 0
    bytes_written: int = 0
    requests: int = 0
    sizes: set[int] = field(default_factory=set)
    by_byte: Counter[int] = field(default_factory=Counter)
    """Loads and stores of each byte of the objects, which have one size."""
    has_histogram: bool = True

    def totals(self) -> tuple[int, int, int]:
        return self.requests, self.bytes_read, self.bytes_written


def chain_of(calls: Iterator[tuple[str, str, int]]) -> Chain | None:
    """From each call's function, file and line, innermost first; None where main makes none of them."""
    places = []
    for function, file, line in calls:
        if line:
            places.append((Path(file).name, line))
        if function == "main":
            return tuple(places)
    return None


def expanded(runs: list[int]) -> list[int]:
    """DHAT's histogram: -N before a number says that it comes N times."""
    found: list[int] = []
    numbers = iter(runs)
    for number in numbers:
        found += [next(numbers)] * -number if number < 0 else [number]
    return found


def of_dhat(found: dict[str, Any]) -> dict[Chain, Uses]:
    """What its file says, by chain."""
    frame = re.compile(r"0x[0-9A-F]+: (.*) \(([^()]*):(\d+)\)$")
    frames = [frame.match(text) for text in found["ftbl"]]
    uses: dict[Chain, Uses] = {}
    for point in found["pps"]:
        known = (match for number in point["fs"] if (match := frames[number]))
        chain = chain_of((match[1], match[2], int(match[3])) for match in known)
        if chain is not None:
            add_point(uses.setdefault(chain, Uses()), point)
    return uses


def add_point(uses: Uses, point: dict[str, Any]) -> None:
    uses.bytes_read += point["rb"]
    uses.bytes_written += point["wb"]
    uses.requests += point["tbk"]
    if "acc" not in point:
        uses.has_histogram = False
        return
    uses.sizes.add(point["tb"] // point["tbk"])
    uses.by_byte.update(dict(enumerate(expanded(point["acc"]))))


def of_malloom(table: dict[str, Any]) -> dict[Chain, Uses]:
    """The same from the table of fields."""
    uses: dict[Chain, Uses] = {}
    for kind in table["kinds"]:
        calls = (call for site in kind["sites"] for call in site["calls"])
        chain = chain_of((call["function"], call["file"], call["line"]) for call in calls)
        if chain is not None:
            add_kind(uses.setdefault(chain, Uses()), kind)
    return uses


def add_kind(uses: Uses, kind: dict[str, Any]) -> None:
    uses.requests += kind["requests"]
    uses.sizes.add(kind["size"])
    for each in kind["fields"]:
        assert each["bytes"] <= WIDEST, "the string functions are others than in valgrind"
        uses.bytes_read += each["loads"] * each["bytes"]
        uses.bytes_written += each["stores"] * each["bytes"]
        # DHAT too leaves out what lies behind the object's end, as the end of a string's last word does.
        for at in range(each["offset"], min(each["offset"] + each["bytes"], kind["size"])):
            uses.by_byte[at] += each["loads"] + each["stores"]


def unsaturated(uses: dict[Chain, Uses]) -> dict[Chain, dict[int, int]]:
    """Of each call site that has a histogram the uses of every byte that DHAT could count to their end."""
    whole = {chain: each for chain, each in uses.items() if each.has_histogram and len(each.sizes) == 1}
    return {
        chain: {at: each.by_byte[at] for at in range(min(each.sizes)) if each.by_byte[at] < SATURATED}
        for chain, each in whole.items()
    }


def valgrind_that_keeps_functions(folder: Path) -> Path:
    """A folder of valgrind's libraries whose DHAT leaves the string functions to the C library.

    DHAT's own preloaded library replaces them, by loops over bytes. Massif's has the allocator alone,
    which is the same for all tools.
    """
    libraries = folder / "valgrind"
    libraries.mkdir()
    for library in VALGRIND.iterdir():
        named = library.name.replace("vgpreload_massif", "vgpreload_dhat")
        if not library.name.startswith("vgpreload_dhat"):
            (libraries / named).symlink_to(library)
    return libraries


def counted_by_dhat(program: Path, folder: Path) -> dict[Chain, Uses]:
    command = ["valgrind", "-q", "--tool=dhat", f"--num-callers={DEPTH}", f"--dhat-out-file={folder}/dhat"]
    environment = {
        "PATH": "/usr/bin:/bin",
        "GLIBC_TUNABLES": PLAIN_FUNCTIONS,
        "VALGRIND_LIB": str(valgrind_that_keeps_functions(folder)),
    }
    done = subprocess.run([*command, program], env=environment, check=False, capture_output=True, timeout=120)
    assert done.stderr == b""
    return of_dhat(json.loads((folder / "dhat").read_text()))


def compiled(name: str, folder: Path) -> Path:
    """Without the compiler's own versions of string functions, so that the C library's are called."""
    compiler = "g++" if name.endswith("cpp") else "gcc"
    flags = ["-O2", "-g", "-fno-builtin", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", folder / "program", PROGRAMS / name], check=True)
    return folder / "program"


@pytest.mark.parametrize(
    ("name", "histograms"),
    [("records.c", 3), ("texts.c", 3), ("shapes.cpp", 6)],
    ids=str,
)
def test_uses_by_byte_and_bytes_by_site_are_those_of_dhat(
    malloom: Callable[..., Finished], tmp_path: Path, name: str, histograms: int
) -> None:
    program = compiled(name, tmp_path)
    theirs = counted_by_dhat(program, tmp_path)
    # With its own environment the command is a process by itself: the program gets what that began with.
    environment = {**os.environ, "GLIBC_TUNABLES": PLAIN_FUNCTIONS}
    recorded = malloom("record", "-o", "run.profile", "--accesses", "full", "--", program, env=environment)
    assert "malloom: recorded" in recorded.stderr
    shown = malloom("profile", "fields", "run.profile", "--json", "--depth", str(DEPTH))
    assert shown.returncode == 0, shown.stderr
    table = json.loads(shown.stdout)
    assert table["unattributed"] == 0, "fields that are not told of would be missing below"
    mine = of_malloom(table)
    assert {chain: uses.totals() for chain, uses in mine.items()} == {
        chain: uses.totals() for chain, uses in theirs.items()
    }
    compared = unsaturated(theirs)
    assert {
        chain: {at: mine[chain].by_byte[at] for at in uses} for chain, uses in compared.items()
    } == compared
    assert len(compared) == histograms
