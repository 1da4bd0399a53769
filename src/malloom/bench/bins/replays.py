"""Replays of many graphs, and what their cycles say together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from malloom.bench.bins.inputs import Input, Room, inputs
from malloom.bench.bins.simulator import Run, Simulator
from malloom.bench.goals import Goal
from malloom.bench.numbers import ONE
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

CYCLES, WITH_REHASH, PAIR = "cycles", "cycles_with_rehash", "cycles_per_pair"
Limits = dict[str, float]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Graphs:
    """Which graphs are replayed, and on what."""

    simulator: Simulator
    room: Room
    count: int
    learns_elsewhere: bool = True
    first: int = 0

    @property
    def name(self) -> str:
        learned = "another graph" if self.learns_elsewhere else "itself"
        return f"{self.room}, {self.simulator.place}, learned on {learned}"

    @property
    def numbers(self) -> str:
        return f"graphs {self.first + 1} to {self.first + self.count}"

    def parts(self, most: int) -> "list[Graphs]":
        """The same graphs, at most so many at a time."""
        firsts = range(self.first, self.first + self.count, most)
        return [replace(self, first=each, count=min(most, self.first + self.count - each)) for each in firsts]

    def measured(self, bench: Bench, what: str, measure: Callable[[Input], Found]) -> list[Found]:
        """What each graph gives."""
        given = list(inputs(self.count, self.room, self.learns_elsewhere, self.first))
        if not given:
            raise CommandError(
                f"none of {self.count} graphs fits into {self.room}", remedy="take more graphs"
            )
        bench.say(f"replaying {len(given)} graphs: {what}")
        return side_by_side(given, measure, lambda number: bench.progress(f"{what}, of {len(given)}", number))

    def replayed(self, bench: Bench, what: str, replay: Callable[[Input], list[Run]]) -> list[list[Run]]:
        """The runs of each graph; those with requests that found no room are left out, with a note."""
        found = self.measured(bench, what, replay)
        whole = [runs for runs in found if not any(run.failures for run in runs)]
        if len(whole) < len(found):
            bench.note(f"{what}: {len(found) - len(whole)} of {len(found)} graphs found no room")
        if not whole:
            raise CommandError(f"{what}: no graph found room")
        return whole


@dataclass(frozen=True)
class Spread:
    """Of a ratio over graphs."""

    worst: float
    mean: float
    best: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> "Spread":
        return cls(max(ratios), sum(ratios) / len(ratios), min(ratios))

    def rows(self, place: Place, baseline: str, metric: str, graphs: int) -> list[Row]:
        """graphs-worst, graphs-mean and graphs-best."""
        named = {"worst": self.worst, "mean": self.mean, "best": self.best}
        return [
            row(place, f"graphs-{name}", baseline, metric, exact(ratio), runs=graphs)
            for name, ratio in named.items()
        ]

    def goals(
        self, place: Place, baseline: str, metric: str, graphs: int, limits: Limits
    ) -> list[Row | Goal]:
        """Of those that have a limit."""
        limit_of = {f"graphs-{name}": limit for name, limit in limits.items()}
        found = self.rows(place, baseline, metric, graphs)
        return [Goal(each, limit_of[each.variant]) for each in found if each.variant in limit_of]

    def mean_row(self, place: Place, variant: str, baseline: str, metric: str, graphs: int) -> Row:
        return row(place, variant, baseline, metric, exact(self.mean), runs=graphs)


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def number_row(place: Place, variant: str, metric: str, number: float, graphs: int) -> Row:
    """What is compared with nothing."""
    return row(place, variant, ONE, metric, exact(float(number)), runs=graphs)
