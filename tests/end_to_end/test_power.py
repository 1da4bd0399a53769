"""The workload power comes to the prices and demands of a model that solves its equations in other ways."""

import math
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

POWER = Path(__file__).parents[2] / "build/release/workloads/power/power"

Pair = tuple[float, float]
"""Of real and reactive power."""

LATERALS, BRANCHES, CUSTOMERS = 20, 5, 10


def power(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([POWER, *map(str, arguments)], capture_output=True, text=True, check=False)


def passes(feeders: int) -> list[tuple[Pair, Pair]]:
    """Price and demand of every pass."""
    done = power(feeders)
    assert (done.returncode, done.stderr) == (0, "")
    rows = []
    for line in done.stdout.splitlines():
        _, *price, _, real, reactive = line.split()
        rows.append(((float(price[0]), float(price[1])), (float(real), float(reactive))))
    return rows


def customers_demand(price: Pair) -> Pair:
    """The demand, five parts real to one reactive, beyond which a unit more costs more than it is worth: by
    bisection."""
    least, most = 0.0, math.sqrt(0.8 / 26)
    for _ in range(60):
        part = (least + most) / 2
        worth = 5 * (1 / (1 + 5 * part) - price[0]) + 1 / (1 + part) - price[1]
        least, most = (part, most) if worth > 0 else (least, part)
    return 5 * part, part


@dataclass
class Line:
    resistance: float
    reactance: float
    surcharge: Pair = (0.0, 0.0)

    def price_behind(self, price: Pair, plant: Pair) -> Pair:
        ratio = self.reactance / self.resistance
        return (
            price[0] + self.surcharge[0] * (plant[0] + plant[1] * ratio),
            price[1] + self.surcharge[1] * (plant[1] + plant[0] / ratio),
        )

    def taken_for(self, load: Pair) -> Pair:
        """The load and what is lost by it: by iteration."""
        real, reactive = load
        for _ in range(50):
            current_squared = real**2 + reactive**2
            real = load[0] + self.resistance * current_squared
            reactive = load[1] + self.reactance * current_squared
        lost = 2 * self.resistance * real, 2 * self.reactance * reactive
        paid = 1 - sum(lost)
        self.surcharge = lost[0] / paid, lost[1] / paid
        return real, reactive


@dataclass
class Lateral:
    line: Line = field(default_factory=lambda: Line(1 / 300000, 0.000001))
    branches: list[Line] = field(default_factory=lambda: [Line(0.0001, 0.00002) for _ in range(BRANCHES)])


def along_branches(branches: list[Line], price: Pair, plant: Pair) -> Pair:
    if not branches:
        return 0.0, 0.0
    price = branches[0].price_behind(price, plant)
    real, reactive = customers_demand(price)
    behind = along_branches(branches[1:], price, plant)
    return branches[0].taken_for((CUSTOMERS * real + behind[0], CUSTOMERS * reactive + behind[1]))


def along_laterals(laterals: list[Lateral], price: Pair, plant: Pair) -> Pair:
    if not laterals:
        return 0.0, 0.0
    price = laterals[0].line.price_behind(price, plant)
    here = along_branches(laterals[0].branches, price, plant)
    behind = along_laterals(laterals[1:], price, plant)
    return laterals[0].line.taken_for((here[0] + behind[0], here[1] + behind[1]))


def test_every_pass_gives_the_demand_of_a_model() -> None:
    laterals = [Lateral() for _ in range(LATERALS)]
    for price, demand in passes(1):
        assert demand == pytest.approx(along_laterals(laterals, price, price), abs=0.01)


@pytest.mark.parametrize("feeders", [1, 3])
def test_the_last_price_is_the_demand_at_it(feeders: int) -> None:
    rows = passes(feeders)
    differences = [
        max(abs(one / feeders / 1000 - other) for one, other in zip(demand, price, strict=True))
        for price, demand in rows
    ]
    assert differences[-1] < 1.2e-5
    assert min(differences[:-1]) > 0.8e-5


def test_ten_feeders_come_to_known_prices() -> None:
    rows = passes(10)
    assert rows[0][0] == (0.8, 0.16)
    assert rows[1][0] == (0.7, 0.14)
    assert len(rows) == 19
    assert rows[-1] == ((0.703474, 0.141864), (7034.73, 1418.72))


def test_all_feeders_are_alike() -> None:
    for (price, demand), (other_price, other_demand) in zip(passes(1), passes(4), strict=True):
        assert price == pytest.approx(other_price, abs=1e-6)
        assert (4 * demand[0], 4 * demand[1]) == pytest.approx(other_demand, abs=0.03)


def within(heap_bytes: int, feeders: int) -> subprocess.CompletedProcess[str]:
    command = ["prlimit", f"--data={heap_bytes}", POWER, str(feeders)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_heap_takes_what_the_program_says() -> None:
    feeders = 20
    assert within(feeders * 64000 + 400_000, feeders).returncode == 0
    too_little = within(feeders * 64000 - 50_000, feeders)
    assert (too_little.returncode, too_little.stderr) == (1, "out of memory\n")


def test_phases_are_timed() -> None:
    done = power(1, "--times")
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["build_time", "compute_time"]


@pytest.mark.parametrize("arguments", ["", "0", "-1", "x", "100001", "1 2"])
def test_bad_arguments_are_refused(arguments: str) -> None:
    done = power(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: power ")
