"""The workloads that the page allocator is measured with, most in the character of its paper (table 3)."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, releases_all

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/release/workloads"

SMALL = {
    "bisort": ["1000"],
    "continued_fraction": ["1000000016000000063"],
    "holes": ["3", "4"],
    "logic_covers": ["3", "7", "30"],
    "perfect_numbers": ["60"],
    "perimeter": ["7"],
    "sentences": ["20", "100"],
    "spheres": ["10", "1"],
    "voronoi": ["1000"],
}
"""Programs, and arguments with which each runs a moment."""

BAD = {
    "bisort": [[], ["1"], ["67108865"], ["x"], ["8", "1", "1"]],
    "continued_fraction": [[], ["0"], ["1"], ["-7"], ["12a"], ["1" * 27], ["6", "8"]],
    "holes": [[], ["3"], ["0", "4"], ["4097", "4"], ["3", "0"], ["3", "x"], ["3", "4", "5"]],
    "logic_covers": [
        [],
        ["1", "1"],
        ["0", "4", "4"],
        ["1", "49", "4"],
        ["1", "4", "1001"],
        ["1", "4", "4", "1", "x"],
    ],
    "perfect_numbers": [[], ["0"], ["-3"], ["1000001"], ["5", "print 1;", "5"]],
    "perimeter": [[], ["1"], ["16"], ["4", "1"]],
    "sentences": [[], ["20"], ["0", "10"], ["20", "0"], ["20", "100001"], ["1", "1", "1", "words"]],
    "spheres": [[], ["10"], ["0", "1"], ["10001", "1"], ["10", "0"], ["10", "nan"], ["10", "1", "1", "1"]],
    "voronoi": [[], ["1"], ["32769"], ["8", "1", "1"]],
}
"""Arguments that each refuses."""

ELSEWHERE = {"continued_fraction": ["-DNUMBER_DIGIT_BITS=16", ROOT / "workloads/factors/number.c"]}
"""What else a program is made of than the sources in its folder."""


KEEPING = ("bisort", "perimeter", "voronoi")
"""Those of Olden, which like the originals release nothing at the end."""


def output_of(*command: str | Path, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def small_run(program: str) -> list[str | Path]:
    return [BUILT / program / program, *SMALL[program]]


def test_equal_numbers_are_in_order_both_ways() -> None:
    """Among so many some are equal."""
    assert output_of(BUILT / "bisort/bisort", "65536").startswith("values 65536 ")


@pytest.mark.parametrize("program", SMALL)
def test_each_heap_has_the_same_output(program: str) -> None:
    expected = output_of(*small_run(program))
    assert expected.count("\n") == 1
    assert output_of(COMMAND, "run", "--heap", "pools", "--", *small_run(program)) == expected


@pytest.mark.parametrize("program", SMALL)
def test_sanitizers_find_nothing(program: str, tmp_path: Path) -> None:
    sources = sorted((ROOT / "workloads" / program).glob("*.c"))
    checks = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{ROOT}"]
    environment = {**os.environ, "ASAN_OPTIONS": f"detect_leaks={int(program not in KEEPING)}"}
    checked = tmp_path / program
    command = ["gcc", *checks, *sources, *ELSEWHERE.get(program, []), "-lm", "-o", checked]
    subprocess.run(command, check=True)
    assert output_of(checked, *SMALL[program], environment=environment) == output_of(*small_run(program))


@pytest.mark.parametrize("program", [program for program in SMALL if program not in KEEPING])
def test_every_object_is_released(program: str) -> None:
    assert releases_all(*small_run(program))


@pytest.mark.parametrize(
    ("program", "arguments"), [(program, arguments) for program in BAD for arguments in BAD[program]]
)
def test_bad_arguments_are_refused(program: str, arguments: list[str]) -> None:
    done = subprocess.run(
        [BUILT / program / program, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"usage: {program} ")
