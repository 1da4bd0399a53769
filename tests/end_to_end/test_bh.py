"""The workload bh moves bodies as a model in Python does, and as they attract each other one by one."""

import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path

import pytest

from end_to_end.xorshift import Xorshift

BH = Path(__file__).parents[2] / "build/release/workloads/bh/bh"

Vector = tuple[float, ...]

TIME_STEP = 0.0125
SOFTENING_SQUARED = 0.05**2


def bh(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BH, *map(str, arguments)], capture_output=True, text=True, check=False)


def plus(vector: Vector, times: float, other: Vector) -> Vector:
    return tuple(one + times * two for one, two in zip(vector, other, strict=True))


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def square(vector: Vector) -> float:
    return dot(vector, vector)


def total(masses: Sequence[float], vectors: Sequence[Vector]) -> Vector:
    return tuple(dot(masses, along) for along in zip(*vectors, strict=True))


@dataclass
class Body:
    mass: float
    position: Vector
    velocity: Vector
    acceleration: Vector = (0.0, 0.0, 0.0)
    potential: float = 0.0

    def move(self, potential: float, acceleration: Vector, first: bool) -> None:
        if not first:
            self.velocity = plus(self.velocity, TIME_STEP / 2, plus(acceleration, -1, self.acceleration))
        middle = plus(self.velocity, TIME_STEP / 2, acceleration)
        self.position = plus(self.position, TIME_STEP, middle)
        self.velocity = plus(middle, TIME_STEP / 2, acceleration)
        self.acceleration, self.potential = acceleration, potential


def drawn_velocity(random: Xorshift) -> Vector:
    distance = random.unit()
    while True:
        share = random.unit()
        if random.unit() / 10 <= share**2 * (1 - share**2) ** 3.5:
            break
    while True:
        vector = tuple(2 * random.unit() - 1 for _ in range(3))
        if square(vector) <= 1:
            break
    speed = math.sqrt(16 / 3 / math.pi) * math.sqrt(2) * share / (1 + distance**2) ** 0.25
    return tuple(speed / math.sqrt(square(vector)) * one for one in vector)


def first_bodies(count: int, seed: int) -> list[Body]:
    """As the program lists them: the one made last comes first."""
    random = Xorshift(seed)
    bodies = []
    for _ in range(count):
        position = tuple(4 * random.unit() for _ in range(3))
        bodies.append(Body(32 / count, position, drawn_velocity(random)))
    shares = [1 / count] * count
    position = total(shares, [body.position for body in bodies])
    velocity = total(shares, [body.velocity for body in bodies])
    for body in bodies:
        body.position = plus(body.position, -1, position)
        body.velocity = plus(body.velocity, -1, velocity)
    return bodies[::-1]


@dataclass
class Cube:
    least: Vector = (-2.0, -2.0, -2.0)
    size: float = 4.0

    def octant_of(self, position: Vector) -> int:
        x, y, z = (2 * (at - least) >= self.size for at, least in zip(position, self.least, strict=True))
        return 4 * x + 2 * y + z

    def octant(self, index: int) -> "Cube":
        half = self.size / 2
        bits = (index >> 2, index >> 1 & 1, index & 1)
        return Cube(plus(self.least, half, bits), half)

    def widen(self, position: Vector) -> None:
        """Doubles the cube towards the position until it is within."""
        while not all(0 <= at < self.size for at in plus(position, -1, self.least)):
            left = [at < least + self.size / 2 for at, least in zip(position, self.least, strict=True)]
            self.least = plus(self.least, -self.size, left)
            self.size *= 2


@dataclass
class Cell:
    mass: float
    position: Vector
    below: "list[Cell | Body]" = field(default_factory=list)

    def cells(self) -> int:
        return 1 + sum(below.cells() for below in self.below if isinstance(below, Cell))


def tree_of(bodies: list[Body], cube: Cube) -> Cell | Body:
    if len(bodies) == 1:
        return bodies[0]
    divided: list[list[Body]] = [[] for _ in range(8)]
    for body in bodies:
        divided[cube.octant_of(body.position)].append(body)
    below = [tree_of(part, cube.octant(index)) for index, part in enumerate(divided) if part]
    mass = sum(node.mass for node in below)
    centre = total([node.mass / mass for node in below], [node.position for node in below])
    return Cell(mass, centre, below)


def pull(body: Body, node: Cell | Body, edge: float, opening: float) -> tuple[float, Vector]:
    """Potential and acceleration that the node gives to the body."""
    way = plus(node.position, -1, body.position)
    if isinstance(node, Cell) and opening**2 * square(way) < edge**2:
        pulls = [pull(body, below, edge / 2, opening) for below in node.below]
        return sum(one for one, _ in pulls), total([1.0] * len(pulls), [one for _, one in pulls])
    if node is body:
        return 0.0, (0.0, 0.0, 0.0)
    squared = square(way) + SOFTENING_SQUARED
    potential = node.mass / math.sqrt(squared)
    return -potential, tuple(potential / squared * one for one in way)


def simulated(bodies: list[Body], steps: int, opening: float) -> Cell | Body:
    """Moves the bodies; returns the last tree."""
    cube = Cube()
    for step in range(steps):
        for body in bodies:
            cube.widen(body.position)
        tree = tree_of(bodies, cube)
        pulls = [pull(body, tree, cube.size, opening) for body in bodies]
        for body, (potential, acceleration) in zip(bodies, pulls, strict=True):
            body.move(potential, acceleration, step == 0)
    return tree


def listed(count: int, steps: int, opening: float) -> tuple[list[str], list[Body]]:
    """The sums that the program prints, and its bodies."""
    done = bh(count, steps, 3, opening, "list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    rows = [tuple(map(float, line.split())) for line in lines[4:]]
    return lines[:4], [Body(32 / count, row[1:4], row[4:7], row[7:], row[0]) for row in rows]


def numbers(bodies: list[Body]) -> list[float]:
    return list(
        chain(*[(*body.position, *body.velocity, *body.acceleration, body.potential) for body in bodies])
    )


def kinetic(bodies: list[Body]) -> float:
    return sum(body.mass * square(body.velocity) / 2 for body in bodies)


@pytest.mark.parametrize(
    ("count", "steps", "opening"), [(1, 2, 1), (2, 9, 1), (31, 4, 1), (40, 8, 0.5), (300, 3, 1)]
)
def test_bodies_move_as_in_a_model(count: int, steps: int, opening: float) -> None:
    sums, bodies = listed(count, steps, opening)
    model = first_bodies(count, 3)
    tree = simulated(model, steps, opening)
    assert numbers(bodies) == pytest.approx(numbers(model), rel=1e-8, abs=1e-10)
    expected = {
        "cells": tree.cells() if isinstance(tree, Cell) else 0,
        "kinetic": kinetic(model),
        "potential": sum(body.mass * body.potential / 2 for body in model),
        "moment": sum(body.mass * square(body.position) for body in model),
    }
    assert {name: float(number) for name, number in map(str.split, sums)} == pytest.approx(expected, rel=1e-5)


def direct(body: Body, bodies: list[Body]) -> tuple[float, Vector]:
    pulls = [pull(body, other, 0, 1) for other in bodies]
    return sum(one for one, _ in pulls), total([1.0] * len(pulls), [one for _, one in pulls])


def errors(bodies: list[Body], expected: list[tuple[float, Vector]]) -> list[float]:
    """How far accelerations are off, against the greatest."""
    greatest = max(math.hypot(*acceleration) for _, acceleration in expected)
    pairs = zip(bodies, expected, strict=True)
    return [math.dist(body.acceleration, acceleration) / greatest for body, (_, acceleration) in pairs]


def test_with_all_cells_opened_every_body_attracts_every_other() -> None:
    first = first_bodies(150, 3)
    expected = [direct(body, first) for body in first]
    _, exact = listed(150, 1, 0)
    assert max(errors(exact, expected)) < 1e-12
    assert [body.potential for body in exact] == pytest.approx([potential for potential, _ in expected])
    _, near = listed(150, 1, 1)
    assert 1e-4 < max(errors(near, expected)) < 0.1


def energy(bodies: list[Body]) -> float:
    pairs = combinations(bodies, 2)
    distances = (math.sqrt(square(plus(a.position, -1, b.position)) + SOFTENING_SQUARED) for a, b in pairs)
    return kinetic(bodies) - bodies[0].mass ** 2 * sum(1 / distance for distance in distances)


def test_momentum_and_energy_stay() -> None:
    _, bodies = listed(100, 40, 0)
    momentum = total([body.mass for body in bodies], [body.velocity for body in bodies])
    assert max(map(abs, momentum)) < 1e-10
    assert energy(bodies) == pytest.approx(energy(first_bodies(100, 3)), rel=0.01)


def within(heap_bytes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["prlimit", f"--data={heap_bytes}", BH, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_heap_takes_what_the_program_says_however_many_steps_are_made() -> None:
    few, many = 222 * 1000 + 6200, 222 * 10000 + 6200
    beside_heap = 400_000
    assert within(few + beside_heap, 1000, 60).returncode == 0
    assert within(many + beside_heap, 10000, 1).returncode == 0
    too_little = within(many - 100_000, 10000, 1)
    assert (too_little.returncode, too_little.stderr) == (1, "out of memory\n")


def test_phases_are_timed() -> None:
    done = bh(10, 1, "--times")
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["build_time", "simulate_time"]


@pytest.mark.parametrize(
    "arguments", ["", "9", "0 1", "9 0", "x 1", "9 1 1 -1", "9 1 1 nan", "9 1 1 1 all", "9 1 1 1 list 1"]
)
def test_bad_arguments_are_refused(arguments: str) -> None:
    done = bh(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: bh ")
