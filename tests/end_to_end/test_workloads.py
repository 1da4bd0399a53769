"""The workloads compute what they say, checked against small models, and alike in both versions."""

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"
VERSIONS = ("", "_annotated")
MASK = 2**64 - 1


def run(name: str, version: str, *arguments: object) -> str:
    program = WORKLOADS / name / f"{name}{version}"
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("depth", "walks"), [(1, 1), (5, 3), (12, 7)])
def test_traverse_adds_once_per_node_and_walk(version: str, depth: int, walks: int) -> None:
    # A node with d levels at and below it starts at d and holds d + k after walk k; 2^(depth - d) have d.
    expected = sum(
        2 ** (depth - levels) * (levels + walk)
        for levels in range(1, depth + 1)
        for walk in range(1, walks + 1)
    )
    assert run("traverse", version, depth, walks) == f"checksum {expected}\n"


def random_bits(seed: int, density: float) -> Iterator[bool]:
    state = (seed * 0x9E3779B97F4A7C15 | 1) & MASK
    while True:
        state ^= state >> 12
        state ^= (state << 25) & MASK
        state ^= state >> 27
        yield ((state * 0x2545F4914F6CDD1D & MASK) >> 11) * 2.0**-53 < density


def exact_covers(rows: list[int], left: int) -> int:
    if left == 0:
        return 1
    lowest = left & -left
    return sum(exact_covers(rows, left & ~row) for row in rows if row & lowest and row & left == row)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(1, 9))
def test_cover_finds_every_exact_cover(version: str, seed: int) -> None:
    rows, columns, density = 60, 9, 0.25
    bits = random_bits(seed, density)
    matrix = [sum(next(bits) << column for column in range(columns)) for _ in range(rows)]
    expected = exact_covers([row for row in matrix if row], 2**columns - 1)
    assert expected > 0
    assert run("cover", version, rows, columns, density, seed).startswith(f"solutions {expected}\n")


@cache
def outcome(rows: int, columns: int, own: frozenset[int], other: frozenset[int], step: int) -> int:
    """Plies to the end, above 0 where the side to move wins."""
    goal = rows - 1 if step < 0 else 0
    if any(square // columns == goal for square in other):
        return 0
    results = []
    for square in own:
        ahead = square + step * columns
        for side in (-1, 0, 1):
            target = ahead + side
            if not 0 <= square % columns + side < columns:
                continue
            if (target in other) if side else (target not in own and target not in other):
                moved = own - {square} | {target}
                results.append(outcome(rows, columns, other - {target}, moved, -step))
    wins = [1 - result for result in results if result <= 0]
    losses = [-1 - result for result in results if result > 0]
    return min(wins) if wins else min(losses, default=0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("board", [(3, 3), (4, 3), (3, 4), (4, 2), (5, 2)])
def test_hexapawn_is_solved(version: str, board: tuple[int, int]) -> None:
    rows, columns = board
    first = frozenset(range(columns))
    second = frozenset(range((rows - 1) * columns, rows * columns))
    plies = outcome(rows, columns, first, second, 1)
    winner = "first" if plies > 0 else "second"
    _, result, line = run("hexapawn", version, rows, columns).splitlines()
    assert result == f"{winner} wins in {abs(plies)} plies"
    assert len(line.split()) == abs(plies) + 1


@pytest.mark.parametrize("name", ["traverse", "cover", "hexapawn"])
def test_bad_arguments_are_refused(name: str) -> None:
    done = subprocess.run([WORKLOADS / name / name, "0"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")


@pytest.mark.parametrize(("name", "phase"), [("traverse", "walk_time"), ("cover", "search_time")])
def test_phase_is_reported_when_asked_for(name: str, phase: str) -> None:
    program = WORKLOADS / name / name
    done = subprocess.run([program, "8", "8", "--times"], capture_output=True, text=True, check=True)
    word, named, seconds = done.stderr.split()
    assert (word, named) == ("measure", phase)
    assert 0 <= float(seconds) < 10
    assert (
        done.stdout == subprocess.run([program, "8", "8"], capture_output=True, text=True, check=True).stdout
    )
