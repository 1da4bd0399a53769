"""The workload spheres: what its queue of events brings is what a model finds that looks at all pairs."""

import itertools
import math
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from end_to_end.xorshift import Xorshift

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/spheres/spheres"
Vector = list[float]


class Said(NamedTuple):
    """What a run prints; energy and places in millionths."""

    met: int
    walls: int
    energy: int
    energy_after: int
    places: int


def run(count: int, seconds: float, seed: int) -> Said:
    command = [PROGRAM, str(count), repr(seconds), str(seed)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = re.fullmatch(r"met (\d+) walls (\d+) energy (\d+) (\d+) places (\d+) sum [0-9a-f]{8}\n", printed)
    assert line
    return Said(*map(int, line.groups()))


def product(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


class Model:
    """All spheres stand where they are at one time; the next bounce is searched among all that can come."""

    def __init__(self, count: int, seed: int) -> None:
        random = Xorshift(seed)
        cells = next(cells for cells in itertools.count(1) if cells**3 >= count)
        self.radius = 0.31 / cells
        self.places: list[Vector] = []
        self.speeds: list[Vector] = []
        for number in range(count):
            place, speed = [], []
            for cell in (number % cells, number // cells % cells, number // cells**2):
                place.append(cell / cells + self.radius + random.unit() * (1 / cells - 2 * self.radius))
                speed.append(2 * random.unit() - 1)
            self.places.append(place)
            self.speeds.append(speed)
        self.met = self.walls = 0

    def energy(self) -> float:
        return sum(product(speed, speed) for speed in self.speeds)

    def walls_ahead(self) -> list[tuple[float, int, int]]:
        """Time, sphere and axis."""
        return [
            (((1 - self.radius if speed > 0 else self.radius) - self.places[who][axis]) / speed, who, axis)
            for who, speeds in enumerate(self.speeds)
            for axis, speed in enumerate(speeds)
        ]

    def meetings_ahead(self) -> list[tuple[float, int, int]]:
        """Time and both spheres."""
        found = []
        for a, b in itertools.combinations(range(len(self.places)), 2):
            apart = [x - y for x, y in zip(self.places[a], self.places[b], strict=True)]
            speed = [x - y for x, y in zip(self.speeds[a], self.speeds[b], strict=True)]
            half = product(apart, speed)
            inside = half**2 - product(speed, speed) * (product(apart, apart) - (2 * self.radius) ** 2)
            if half < 0 and inside >= 0:
                found.append((max(0.0, (-half - math.sqrt(inside)) / product(speed, speed)), a, b))
        return found

    def move(self, time: float) -> None:
        for place, speed in zip(self.places, self.speeds, strict=True):
            place[:] = [x + v * time for x, v in zip(place, speed, strict=True)]

    def exchange(self, a: int, b: int) -> None:
        """Their speeds along the line between them."""
        line = [x - y for x, y in zip(self.places[a], self.places[b], strict=True)]
        length = math.sqrt(product(line, line))
        line = [x / length for x in line]
        along_a, along_b = product(self.speeds[a], line), product(self.speeds[b], line)
        self.speeds[a] = [v + (along_b - along_a) * x for v, x in zip(self.speeds[a], line, strict=True)]
        self.speeds[b] = [v + (along_a - along_b) * x for v, x in zip(self.speeds[b], line, strict=True)]

    def run(self, seconds: float) -> None:
        now = 0.0
        while True:
            wall = min(self.walls_ahead())
            meeting = min(self.meetings_ahead(), default=(math.inf, 0, 0))
            first = min(wall[0], meeting[0])
            if now + first > seconds:
                self.move(seconds - now)
                return
            self.move(first)
            now += first
            if wall[0] < meeting[0]:
                self.speeds[wall[1]][wall[2]] *= -1
                self.walls += 1
            else:
                self.exchange(*meeting[1:])
                self.met += 1


@pytest.mark.parametrize(
    ("count", "seconds", "seed"),
    [(1, 3.0, 1), (2, 5.0, 2), (8, 1.0, 3), (10, 1.0, 1), (10, 1.5, 9), (27, 0.5, 4), (60, 0.2, 5)],
)
def test_bounces_are_those_of_a_plain_model(count: int, seconds: float, seed: int) -> None:
    model = Model(count, seed)
    energy = model.energy()
    model.run(seconds)
    said = run(count, seconds, seed)
    assert (said.met, said.walls) == (model.met, model.walls)
    assert said.energy == pytest.approx(energy * 1e6, abs=1)
    assert said.places == pytest.approx(sum(map(sum, model.places)) * 1e6, abs=2)
    assert model.walls > 0


@pytest.mark.parametrize(("count", "seconds"), [(10, 100.0), (300, 3.0)])
def test_energy_is_conserved(count: int, seconds: float) -> None:
    said = run(count, seconds, 1)
    assert said.met > 500
    assert said.energy_after == pytest.approx(said.energy, abs=2)


def test_seeds_differ() -> None:
    assert run(10, 1.0, 1) != run(10, 1.0, 2)
