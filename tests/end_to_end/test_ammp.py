"""ammp moves its atoms as a small model does that looks at all pairs."""

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest

from end_to_end.xorshift import Xorshift

AMMP = Path(__file__).parents[2] / "build/release/workloads/ammp/ammp"


def run(count: int, steps: int) -> list[str]:
    done = subprocess.run([AMMP, str(count), str(steps)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


class Matter:
    """The atoms of ammp, so few that each cell of its grid has all others for neighbours."""

    def __init__(self, count: int) -> None:
        random = Xorshift(1)
        drawn = np.array([[random.unit() - 0.5 for _ in range(6)] for _ in range(count)])
        side = next(side for side in itertools.count(1) if side**3 >= count)
        serial = np.arange(count)
        line, layer = serial // side, serial // side**2
        column = np.where(line % 2, side - 1 - serial % side, serial % side)
        row = np.where(layer % 2, side - 1 - line % side, line % side)
        self.place = 2.2 * np.stack([column, row, layer], axis=1) + 0.1 * drawn[:, 3:]
        self.speed = 0.6 * drawn[:, :3]
        self.charge = np.where(serial % 2, 0.05, -0.05)
        self.mass = np.where(serial % 2, 12.0, 16.0)[:, None]
        self.bonds = np.array([i for i in range(count - 1) if (i + 1) % 8])
        self.found = 0
        self.find_neighbours()

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The vector from each atom to each, and its length; infinite to itself."""
        apart = self.place[None] - self.place[:, None]
        return apart, np.linalg.norm(apart, axis=2) + np.diag(np.full(len(apart), np.inf))

    def find_neighbours(self) -> None:
        self.found += 1
        self.was = self.place.copy()
        apart, length = self.pairs()
        self.close = length <= 6
        self.close[self.bonds, self.bonds + 1] = self.close[self.bonds + 1, self.bonds] = False
        charge = np.where((length > 6) & np.isfinite(length), 332.0637 * self.charge / length, 0)
        self.potential = charge.sum(axis=1)
        self.slope = np.einsum("ij,ijk->ik", charge / length**2, apart)
        self.bend = np.einsum("ij,ijk,ijl->ikl", 3 * charge / length**4, apart, apart)
        self.bend -= (charge / length**2).sum(axis=1)[:, None, None] * np.eye(3)

    def distant(self) -> tuple[float, np.ndarray]:
        moved = self.place - self.was
        bent = np.einsum("ikl,il->ik", self.bend, moved)
        energies = self.potential / 2 + ((self.slope + bent / 2) * moved).sum(axis=1)
        return float(self.charge @ energies), -self.charge[:, None] * (self.slope + bent)

    def forces(self) -> tuple[float, np.ndarray]:
        """The potential energy and the forces."""
        energy, force = self.distant()
        apart, length = self.pairs()
        charges = self.close * 332.0637 * np.outer(self.charge, self.charge) / length
        repulsion, attraction = self.close * 128.0**2 / length**12, self.close * 16.0**2 / length**6
        energy += (charges + repulsion - attraction).sum() / 2
        push = (charges + 12 * repulsion - 6 * attraction) / length**2
        stretched = length[self.bonds, self.bonds + 1] - 2.2
        pull = 200 * stretched / length[self.bonds, self.bonds + 1]
        push[self.bonds, self.bonds + 1] -= pull
        push[self.bonds + 1, self.bonds] -= pull
        force -= np.einsum("ij,ijk->ik", push, apart)
        return energy + 100 * float(stretched @ stretched), force

    def step(self) -> None:
        self.speed += 0.01 * self.forces()[1] / self.mass
        self.place += 0.02 * self.speed
        if np.linalg.norm(self.place - self.was, axis=1).max() > 0.06:
            self.find_neighbours()
        self.speed += 0.01 * self.forces()[1] / self.mass

    def energies(self) -> tuple[float, float]:
        """Potential and kinetic."""
        return self.forces()[0], float((self.mass * self.speed**2).sum() / 2)


def printed_energies(line: str) -> tuple[float, float]:
    words = line.split()
    assert float(words[5]) == pytest.approx(float(words[1]) + float(words[3]), rel=1e-5)
    return float(words[1]), float(words[3])


@pytest.mark.parametrize("count", [2, 9, 100])
def test_atoms_move_as_all_pairs_say(count: int) -> None:
    matter = Matter(count)
    first, last, found = run(count, 25)
    assert printed_energies(first) == pytest.approx(matter.energies(), rel=1e-5)
    for _ in range(25):
        matter.step()
    assert printed_energies(last) == pytest.approx(matter.energies(), rel=1e-5)
    assert found == f"neighbours found {matter.found} times"
    assert matter.found > 1


def test_energy_is_kept() -> None:
    first, last = (printed_energies(line) for line in run(2000, 25)[:2])
    assert abs(last[1] - first[1]) > 0.1 * first[1], "nothing happened"
    assert sum(last) == pytest.approx(sum(first), abs=0.01 * first[1])
