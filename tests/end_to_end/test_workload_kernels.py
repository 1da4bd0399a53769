"""ft, equake, art, ammp and twolf compute what they say, checked against small models of their own."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.xorshift import Xorshift

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"


def run(name: str, *arguments: object) -> str:
    program = WORKLOADS / name / name
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def random_graph(vertices: int, edges: int, seed: int) -> dict[frozenset[int], int]:
    """The weight of each edge of ft's graph."""
    random = Xorshift(seed)
    weights = {frozenset((i, random.below(i))): random.below(10**6) for i in range(1, vertices)}
    while len(weights) < edges:
        first = random.below(vertices)
        pair = frozenset((first, (first + 1 + random.below(vertices - 1)) % vertices))
        if pair not in weights:
            weights[pair] = random.below(10**6)
    return weights


def kruskal(vertices: int, weights: dict[frozenset[int], int]) -> int:
    """The weight of the minimum spanning tree."""
    part = list(range(vertices))
    total = 0
    for pair, weight in sorted(weights.items(), key=lambda item: item[1]):
        one, other = (part[vertex] for vertex in pair)
        if one != other:
            part = [one if each == other else each for each in part]
            total += weight
    return total


@pytest.mark.parametrize(
    ("vertices", "edges", "seed"), [(2, 1, 1), (10, 45, 3), (300, 350, 5), (500, 4500, 1), (400, 8000, 2)]
)
def test_ft_finds_the_minimum_spanning_tree(vertices: int, edges: int, seed: int) -> None:
    expected = kruskal(vertices, random_graph(vertices, edges, seed))
    assert run("ft", vertices, edges, seed) == f"weight {expected}\n"


@pytest.mark.parametrize(("name", "arguments"), [("ft", ["10", "8"]), ("ft", ["10", "46"]), ("ft", ["10"])])
def test_bad_arguments_are_refused(name: str, arguments: list[str]) -> None:
    done = subprocess.run([WORKLOADS / name / name, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")
