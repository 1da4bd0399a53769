"""The workload logic_covers: its covers are the same functions, and no cube is too small or too many."""

import itertools
import re
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/logic_covers/logic_covers"


def lines_of(*arguments: int | str) -> list[str]:
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def points_of(cube: str) -> set[str]:
    """Where the cube is true."""
    return {"".join(point) for point in itertools.product(*("01" if at == "-" else at for at in cube))}


def all_points(cubes: list[str]) -> set[str]:
    return set().union(*map(points_of, cubes))


class Function:
    """As the program prints it: the cubes where it is true, those where it may be anything, those found."""

    def __init__(self, lines: list[str]) -> None:
        words = [line.split() for line in lines]
        self.true, self.unspecified, self.found = (
            [cube for kind, cube in words if kind == wanted] for wanted in ("true", "unspecified", "found")
        )

    def check(self) -> None:
        free = all_points(self.unspecified)
        needed = all_points(self.true) - free
        found = all_points(self.found)
        assert needed <= found <= needed | free
        for number, cube in enumerate(self.found):
            others = all_points(self.found[:number] + self.found[number + 1 :])
            assert not needed <= others, "a cube that is not needed"
            for at in range(len(cube)):
                larger = points_of(f"{cube[:at]}-{cube[at + 1 :]}")
                assert cube[at] == "-" or not larger <= needed | free, "a cube that could be larger"


def functions_in(lines: list[str]) -> list[Function]:
    begins = [number for number, line in enumerate(lines) if line.startswith("function ")]
    return [Function(lines[begin + 1 : end]) for begin, end in itertools.pairwise([*begins, len(lines) - 1])]


@pytest.mark.parametrize(
    ("functions", "variables", "cubes", "seed"),
    [
        (40, 1, 1, 1),
        (40, 3, 4, 2),
        (40, 5, 8, 3),
        (10, 7, 20, 1),
        (5, 9, 60, 4),
        (2, 11, 40, 5),
        (20, 4, 30, 6),
    ],
)
def test_covers_are_right_and_minimal(functions: int, variables: int, cubes: int, seed: int) -> None:
    lines = lines_of(functions, variables, cubes, seed, "text")
    found = functions_in(lines)
    assert len(found) == functions
    for function in found:
        assert (len(function.true), len(function.unspecified)) == (cubes, cubes // 4)
        function.check()
    total = sum(len(function.found) for function in found)
    literals = sum(len(cube) - cube.count("-") for function in found for cube in function.found)
    assert re.search(rf" found cubes {total} literals {literals} sum [0-9a-f]{{8}}$", lines[-1])
    assert lines_of(functions, variables, cubes, seed) == lines[-1:]


def test_a_cover_becomes_smaller() -> None:
    line = lines_of(5, 8, 60)[0]
    before, after = map(int, re.findall(r"cubes (\d+)", line))
    assert after < before / 2
