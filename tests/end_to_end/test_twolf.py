"""twolf anneals as a small model does that adds up the whole cost for every move."""

import itertools
import math
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from end_to_end.xorshift import Xorshift

TWOLF = Path(__file__).parents[2] / "build/release/workloads/twolf/twolf"
PER_BIN, BIN_WIDTH, ROW_HEIGHT = 6, 36, 12


@dataclass
class Cell:
    width: int
    pins: list[tuple[int, int, int]]
    """Net, and offsets from the centre."""


def random_cell(number: int, count: int, random: Xorshift) -> Cell:
    cell = Cell(2 + random.below(9), [])
    for _ in range(2 + random.below(5)):
        is_far = random.below(4) == 0
        net = random.below(count) if is_far else (number + random.below(64)) % count
        x = random.below(cell.width + 1) - cell.width // 2
        cell.pins.append((net, x, ROW_HEIGHT // 2 if random.below(2) else -ROW_HEIGHT // 2))
    return cell


class Chip:
    """Cells in slots: a slot is six times its bin's number and more, and has a fixed centre."""

    def __init__(self, count: int) -> None:
        self.random = Xorshift(1)
        self.cells = [random_cell(number, count, self.random) for number in range(count)]
        self.slots = list(range(count))
        self.all = math.ceil(count / PER_BIN)
        self.bins = next(b for b in itertools.count() if b * b * BIN_WIDTH >= self.all * ROW_HEIGHT)
        self.rows = math.ceil(self.all / self.bins)
        self.centres = []
        for number in range(count):
            bin_, slot = divmod(number, PER_BIN)
            left = sum(cell.width for cell in self.cells[number - slot : number])
            x = bin_ % self.bins * BIN_WIDTH + left + self.cells[number].width // 2
            self.centres.append((x, bin_ // self.bins * ROW_HEIGHT))

    def cost(self) -> int:
        used = [0] * self.all
        boxes: dict[int, list[tuple[int, int]]] = {}
        for slot, number in enumerate(self.slots):
            used[slot // PER_BIN] += self.cells[number].width
            for net, x, y in self.cells[number].pins:
                boxes.setdefault(net, []).append((self.centres[slot][0] + x, self.centres[slot][1] + y))
        halves = (max(side) - min(side) for box in boxes.values() for side in zip(*box, strict=True))
        return sum(halves) + sum(2 * abs(each - BIN_WIDTH) for each in used)

    def draw_near(self, start: int, reach: int, count: int) -> int:
        low, high = max(start - reach, 0), min(start + reach, count - 1)
        return low + self.random.below(high - low + 1)

    def draw_slot(self, bin_: int, stage: int) -> int:
        narrowing = 2 ** (stage // 4)
        row = self.draw_near(bin_ // self.bins, 1 + self.rows // narrowing, self.rows)
        column = self.draw_near(bin_ % self.bins, 1 + self.bins // narrowing, self.bins)
        first = min(row * self.bins + column, self.all - 1) * PER_BIN
        return first + self.random.below(min(PER_BIN, len(self.slots) - first))

    def exchange(self, one: int, other: int) -> None:
        self.slots[one], self.slots[other] = self.slots[other], self.slots[one]

    def try_move(self, stage: int) -> bool:
        one = self.slots.index(self.random.below(len(self.slots)))
        other = self.draw_slot(one // PER_BIN, stage)
        if one == other:
            return False
        before = self.cost()
        self.exchange(one, other)
        growth = self.cost() - before
        if growth > 0 and self.random.unit() >= math.exp(-growth / (400 * 0.8**stage)):
            self.exchange(one, other)
            return False
        return True


@pytest.mark.parametrize(("count", "moves"), [(2, 5), (7, 100), (60, 1000), (150, 900)])
def test_cells_are_placed_as_in_the_model(count: int, moves: int) -> None:
    chip = Chip(count)
    expected = [f"cost {chip.cost()}"]
    stages = [stage for stage in range(32) for _ in range(moves * stage // 32, moves * (stage + 1) // 32)]
    accepted = sum(chip.try_move(stage) for stage in stages)
    expected += [f"accepted {accepted}", f"cost {chip.cost()}", f"anew {chip.cost()}"]
    done = subprocess.run([TWOLF, str(count), str(moves)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == expected
    assert done.stderr == ""


def test_annealing_lowers_the_cost() -> None:
    done = subprocess.run([TWOLF, "500", "50000"], capture_output=True, text=True, check=True)
    first, _, last, anew = (int(line.split()[1]) for line in done.stdout.splitlines())
    assert last == anew < 0.8 * first
