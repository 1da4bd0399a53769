"""ft, equake and art compute what they say, checked against small models of their own."""

import itertools
import subprocess
from pathlib import Path

import numpy as np
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


def ground(sides: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The stiffness and the masses of equake's mesh, 3 numbers per node: K = V B' D B of each element."""
    random = Xorshift(1)
    nodes = list(itertools.product(*(range(side) for side in reversed(sides))))
    number = {node: i for i, node in enumerate(nodes)}
    position = [[100 * (axis + 0.2 * random.unit() - 0.1) for axis in reversed(node)] for node in nodes]
    elasticity = np.diag([10e9] * 3 + [5e9] * 3)
    elasticity[:3, :3] += 8e9
    matrix = np.zeros((3 * len(nodes), 3 * len(nodes)))
    masses = np.zeros(3 * len(nodes))
    steps = np.eye(3, dtype=int)
    for cube, order in itertools.product(nodes, itertools.permutations(range(3))):
        path = [tuple(np.array(cube) + steps[list(order[:taken])].sum(axis=0)) for taken in range(4)]
        if path[3] not in number:
            continue
        corners = np.array([[1, *position[number[node]]] for node in path])
        volume = abs(np.linalg.det(corners)) / 6
        strain = np.zeros((6, 12))
        for corner, (x, y, z) in enumerate(np.linalg.inv(corners)[1:].T):
            strain[:, 3 * corner : 3 * corner + 3] = [
                [x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x],
            ]  # fmt: skip
        places = [3 * number[node] + axis for node in path for axis in range(3)]
        matrix[np.ix_(places, places)] += volume * strain.T @ elasticity @ strain
        masses[places] += 2000 * volume / 4
    return matrix, masses


def slipping(time: float) -> np.ndarray:
    """How far the fault has slipped, how fast, and its acceleration."""
    turn = 2 * np.pi / 0.05
    angle = min(turn * time, 2 * np.pi)
    return np.array([angle - np.sin(angle), turn * (1 - np.cos(angle)), turn**2 * np.sin(angle)]) / (
        2 * np.pi
    )


@pytest.mark.parametrize(("sides", "steps"), [((2, 2, 2), 3), ((4, 3, 5), 25)])
def test_equake_shakes_the_ground(sides: tuple[int, int, int], steps: int) -> None:
    matrix, masses = ground(sides)
    fault = (sides[2] // 2 * sides[1] + sides[1] // 2) * sides[0] + sides[0] // 2
    slip = np.zeros(len(masses))
    slip[3 * fault : 3 * fault + 3] = 1, 0.5, 0.25
    before, now, rates = (np.zeros(len(masses)) for _ in range(3))
    for step in range(1, steps + 1):
        slipped, rate, acceleration = slipping(0.005 * step)
        force = matrix @ (now + slipped * slip) + masses * slip * (acceleration + 2 * rate)
        after = (2 * now - (1 - 0.005) * before - 0.005**2 * force / masses) / (1 + 0.005)
        rates = (after - before) / 0.01
        before, now = now, after
    seen = 3 * (fault - sides[0] * sides[1])
    moved, energy = (line.split()[1:] for line in run("equake", *sides, steps).splitlines())
    assert [float(each) for each in moved] == pytest.approx(now[seen : seen + 3], rel=1e-5)
    assert float(energy[0]) == pytest.approx(masses @ rates**2 / 2, rel=1e-5)


Found = tuple[int, float, float]
"""A category, how well it answers, and how well it matches."""


def picture(neurons: int, thing: int, noise: float, seed: int) -> np.ndarray:
    """What art's neurons see of an object."""
    image, disturbance = Xorshift(thing + 1), Xorshift(seed + 1000)
    pairs = [(image.unit(), disturbance.unit()) for _ in range(neurons)]
    return np.array([d / noise if d < noise else v * (v >= 0.5) for v, d in pairs])


def unit_length(vector: np.ndarray) -> np.ndarray:
    return vector / max(np.sqrt(vector @ vector), 1e-300)


def settle(seen: np.ndarray, up: np.ndarray, down: np.ndarray, reset: set[int]) -> tuple[Found, np.ndarray]:
    """What art finds in a picture, and the features that it settles on (Carpenter and Grossberg 1987)."""
    u, q, winner = np.zeros(len(seen)), np.zeros(len(seen)), -1
    for _ in range(3):
        x = unit_length(seen + 10 * u)
        u = unit_length(x * (x >= 1e-3 / len(seen) ** 0.5) + 10 * q * (q >= 1e-3 / len(seen) ** 0.5))
        p = u + (0.9 * down[:, winner] if winner >= 0 else 0)
        q = unit_length(p)
        answers = {j: p @ up[:, j] for j in range(up.shape[1]) if j not in reset}
        winner = max(answers, key=lambda j: answers[j])
    p = u + 0.9 * down[:, winner]
    matched = np.linalg.norm(u + 0.1 * p) / (np.linalg.norm(u) + 0.1 * np.linalg.norm(p))
    if matched < 0.9986:
        return settle(seen, up, down, reset | {winner})
    return (winner, answers[winner], float(matched)), u


@pytest.mark.parametrize(("neurons", "categories"), [(100, 4), (400, 11)])
def test_art_finds_the_objects(neurons: int, categories: int) -> None:
    up = np.full((neurons, categories), 5 / neurons**0.5)
    down = np.zeros((neurons, categories))
    expected = []
    for thing in (0, 1):
        found, features = settle(picture(neurons, thing, 0, 0), up, down, set())
        for _ in range(8):
            down[:, found[0]] = up[:, found[0]] = features + 0.9 * down[:, found[0]]
        expected.append(found)
    for window in range(8):
        seen = picture(neurons, window % 2, 0.1 * (1 + window % 4), window)
        expected.append(settle(seen, up, down, set())[0])
    lines = run("art", neurons, categories, 8).splitlines()
    printed = [(int(words[2]), float(words[4]), float(words[6])) for words in map(str.split, lines)]
    assert [category for category, _, _ in printed[:4]] == [0, 1, 0, 1]
    assert max(category for category, _, _ in printed) == 2, "no window was unlike both objects"
    assert printed == [pytest.approx(each, rel=2e-6) for each in expected]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ammp", ["1", "5"]),
        ("art", ["10", "0", "1"]),
        ("ft", ["10", "8"]),
        ("ft", ["10", "46"]),
        ("ft", ["10"]),
        ("equake", ["3", "3", "1", "5"]),
        ("twolf", ["1", "5"]),
    ],
)
def test_bad_arguments_are_refused(name: str, arguments: list[str]) -> None:
    done = subprocess.run([WORKLOADS / name / name, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")
