"""Olden's programs, written afresh, compute what small models in Python compute."""

import math
import subprocess
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

import pytest

from end_to_end.xorshift import Xorshift

WORKLOADS = Path(__file__).parents[2] / "build/release/workloads"
MASK = 2**64 - 1


def run(name: str, *arguments: object) -> list[str]:
    """The lines that the workload prints."""
    command = [WORKLOADS / name / name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["treeadd", "em3d", "mst", "health", "tsp"])
def test_bad_arguments_are_refused(name: str) -> None:
    done = subprocess.run([WORKLOADS / name / name, "0"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")


@pytest.mark.parametrize(("levels", "passes"), [(1, 1), (5, 3), (14, 2)])
def test_treeadd_counts_the_nodes_in_every_pass(levels: int, passes: int) -> None:
    assert run("treeadd", levels, passes) == [f"sum {2**levels - 1}"] * passes


class FieldNodes:
    """One side of em3d's graph: per node its value, whither it leads, and what leads to it."""

    def __init__(self, nodes: int, random: Xorshift) -> None:
        self.values = [random.unit() for _ in range(nodes)]
        self.leads_to: list[list[int]] = []
        self.led_from: list[list[tuple[int, float]]] = [[] for _ in range(nodes)]

    def choose(self, degree: int, random: Xorshift) -> None:
        for _ in self.values:
            chosen: list[int] = []
            while len(chosen) < degree:
                other = random.below(len(self.values))
                if other not in chosen:
                    chosen.append(other)
            self.leads_to.append(chosen)

    def enter_at(self, other: "FieldNodes", random: Xorshift) -> None:
        for node, targets in enumerate(self.leads_to):
            for target in targets:
                other.led_from[target].append((node, random.unit()))

    def compute(self, other: "FieldNodes") -> None:
        for node, sources in enumerate(self.led_from):
            for source, coefficient in sources:
                self.values[node] -= coefficient * other.values[source]


@pytest.mark.parametrize(("nodes", "degree", "iterations"), [(1, 1, 1), (6, 6, 3), (200, 7, 5)])
def test_em3d_gives_the_field_of_a_model(nodes: int, degree: int, iterations: int) -> None:
    random = Xorshift(9)
    magnetic, electric = FieldNodes(nodes, random), FieldNodes(nodes, random)
    for side in (magnetic, electric):
        side.choose(degree, random)
    magnetic.enter_at(electric, random)
    electric.enter_at(magnetic, random)
    for _ in range(iterations):
        electric.compute(magnetic)
        magnetic.compute(electric)
    expected = [
        f"{name} {sum(side.values):.15g}" for name, side in (("electric", electric), ("magnetic", magnetic))
    ]
    assert run("em3d", nodes, degree, iterations, 9) == expected


def mst_distance(one: int, other: int) -> int:
    mixed = (min(one, other) * 30000 + max(one, other)) * 0x9E3779B97F4A7C15 & MASK
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & MASK
    return (mixed >> 40) % 2048 + 1


@pytest.mark.parametrize("name", ["mst", "mst_requests"])
@pytest.mark.parametrize("vertices", [2, 3, 17, 150])
def test_mst_weighs_as_much_as_kruskals_tree(vertices: int, name: str) -> None:
    component = list(range(vertices))
    pairs = combinations(range(vertices), 2)
    expected = 0
    for distance, one, other in sorted((mst_distance(one, other), one, other) for one, other in pairs):
        if component[one] != component[other]:
            joined, left = component[one], component[other]
            component = [joined if at == left else at for at in component]
            expected += distance
    assert run(name, vertices, 3) == [f"weight {expected}"] * 3


@dataclass(eq=False)
class Patient:
    hospitals: int = 0
    time: int = 0
    left: int = 0


class Village:
    """A village of health with those below it."""

    def __init__(self, levels: int, label: int, seed: int) -> None:
        self.random = Xorshift(seed + label)
        self.is_top = label == 0
        self.free = 2 ** (levels - 1)
        self.waiting: list[Patient] = []
        self.assessed: list[Patient] = []
        self.inside: list[Patient] = []
        self.returned: list[Patient] = []
        below = range(label * 4 + 4, label * 4, -1) if levels > 1 else ()
        self.below = [Village(levels - 1, one, seed) for one in below]

    def admit(self, patient: Patient) -> None:
        patient.hospitals += 1
        self.assess_or_wait(patient)

    def assess_or_wait(self, patient: Patient) -> bool:
        if not self.free:
            self.waiting.append(patient)
            return False
        self.free -= 1
        patient.left = 3
        patient.time += 3
        self.assessed.append(patient)
        return True

    def simulate(self) -> list[Patient]:
        """A time step; returns those who are sent up."""
        for patient in chain(*[village.simulate() for village in self.below]):
            self.admit(patient)
        self.release()
        up = self.treat_assessed()
        waiting, self.waiting = self.waiting, []
        for patient in waiting:
            if not self.assess_or_wait(patient):
                patient.time += 1
        if self.random.unit() > 2 / 3:
            self.admit(Patient())
        return up

    def release(self) -> None:
        treated = due(self.inside)
        self.free += len(treated)
        self.returned += treated

    def treat_assessed(self) -> list[Patient]:
        up = []
        for patient in due(self.assessed):
            if self.random.unit() > 0.1 or self.is_top:
                patient.left = 10
                patient.time += 10
                self.inside.append(patient)
            else:
                self.free += 1
                up.append(patient)
        return up

    def all_returned(self) -> list[Patient]:
        return self.returned + list(chain(*[village.all_returned() for village in self.below]))


def due(patients: list[Patient]) -> list[Patient]:
    """Lets a unit of time pass; takes out those whose time is up."""
    for patient in patients:
        patient.left -= 1
    taken = [patient for patient in patients if patient.left == 0]
    patients[:] = [patient for patient in patients if patient.left > 0]
    return taken


@pytest.mark.parametrize(("levels", "steps"), [(1, 60), (3, 90), (5, 40)])
def test_health_treats_the_patients_of_a_model(levels: int, steps: int) -> None:
    top = Village(levels, 0, 7)
    for _ in range(steps):
        top.simulate()
    patients = top.all_returned()
    time = sum(patient.time for patient in patients)
    hospitals = sum(patient.hospitals for patient in patients)
    assert patients
    expected = [f"patients {len(patients)}", f"time {time}", f"hospitals {hospitals}"]
    assert run("health", levels, steps, 7) == expected


City = tuple[float, float]
Range = tuple[float, float]


@dataclass
class Region:
    """A city of tsp that divides those on its left from those on its right."""

    city: City
    left: "Region | None"
    right: "Region | None"

    def cities(self) -> list[City]:
        below = [side.cities() for side in (self.left, self.right) if side]
        return [*chain(*below), self.city]


def tsp_region(count: int, across: bool, x: Range, y: Range, random: Xorshift) -> Region | None:
    if count == 0:
        return None
    along, other = (x, y) if across else (y, x)
    offset = math.prod(2 * random.unit() - 1 for _ in range(3))
    middle = along[0] + (1 + offset) / 2 * (along[1] - along[0])
    halves = [(along[0], middle), (middle, along[1])]
    left, right = (
        tsp_region(size, not across, *((half, y) if across else (x, half)), random)
        for size, half in zip((count // 2, count - 1 - count // 2), halves, strict=True)
    )
    position = other[0] + random.unit() * (other[1] - other[0])
    return Region((middle, position) if across else (position, middle), left, right)


def length(tour: list[City]) -> float:
    return sum(map(math.dist, tour, tour[1:] + tour[:1]))


def opened(tour: list[City], city: City) -> list[City]:
    """The tour, from where the city's nearest neighbour lets it in at less cost, to there."""
    near = min(range(len(tour)), key=lambda at: math.dist(tour[at], city))
    ways = [tour[near:] + tour[:near], tour[near + 1 :] + tour[: near + 1]]
    return min(ways, key=lambda way: length([*way, city]))


def karps_tour(region: Region) -> list[City]:
    cities = region.cities()
    if len(cities) > 150:
        assert region.left and region.right
        one, other = (opened(karps_tour(side), region.city) for side in (region.left, region.right))
        ways = [one + other, other + one, one + other[::-1], other[::-1] + one]
        return min(([region.city, *way] for way in ways), key=length)
    tour = cities[:1]
    for city in cities[1:]:
        tour = [*opened(tour, city), city]
    return tour


def edges(tour: list[City]) -> set[frozenset[City]]:
    return {frozenset(edge) for edge in zip(tour, tour[1:] + tour[:1], strict=True)}


@pytest.mark.parametrize("count", [1, 2, 3, 100, 150, 151, 1000])
def test_tsp_takes_the_tour_of_a_model(count: int) -> None:
    first, *lines = run("tsp", count, 5, "list")
    listed = [(float(x), float(y)) for x, y in map(str.split, lines)]
    region = tsp_region(count, False, (0.0, 1.0), (0.0, 1.0), Xorshift(5))
    assert region is not None
    assert sorted(listed) == sorted(region.cities())
    expected = karps_tour(region)
    assert edges(listed) == edges(expected)
    # The list is of the links back, the length is of those forward.
    assert float(first.removeprefix("length ")) == pytest.approx(length(expected), rel=1e-9)
