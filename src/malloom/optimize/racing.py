"""Races of rows on the training inputs, as long as there is time, and what is known of them then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from malloom.measure.interval import Verdict, median_of
from malloom.optimize.limit import Limit, rank
from malloom.optimize.narrowing import contenders, together_by_round
from malloom.optimize.training import FEWEST_ROUNDS, Row, Training

T = TypeVar("T", bound=Row)

STARTING = 0.02
"""Seconds that starting and checking a run takes on top of the program's own time."""
MOST_ROUNDS = 6
"""Of each row, where they are short."""
OUT_OF_REACH = (1.30, 1.15)
"""Where FEWEST_ROUNDS of all take longer than there is time, what stays so many times behind the best of its
kind after the first, and in each of more, runs no more. On a noisy machine the runs of one row differ by
a tenth."""
CLEARLY_BELOW = 0.98
"""A median that is enough for a choice, whatever its interval: twice what a baseline may differ from itself
in a table that can be relied on. What is chosen is judged anew."""


@dataclass
class Racing:
    """Races rows, which are all that there are, and says which are best by what was measured so far.

    `seconds` is the time for choosing, `run_time` what one run on every training input takes. `has_time`:
    for FEWEST_ROUNDS of all rows of the first race.
    """

    training: Training
    limit: Limit
    seconds: float
    run_time: float
    rows: list[Row]
    has_time: bool = True

    @property
    def one_round(self) -> float:
        """Seconds of one run of a row on every training input."""
        return self.run_time + STARTING * len(self.training.races)

    def rounds(self, rows: int, most: int = MOST_ROUNDS) -> int:
        """FEWEST_ROUNDS, or more where they end within a third of the time."""
        one = max(rows, 1) * self.one_round
        return max(FEWEST_ROUNDS, min(most, int(self.seconds / 3 / one)))

    def expected(self, rows: int, fewest: int = FEWEST_ROUNDS) -> float:
        """Seconds that so many rows take, and the program as it is beside them, if none ends early."""
        return max(fewest, self.rounds(rows)) * (rows + 1) * self.one_round

    def race_first(self, rows: Sequence[Row]) -> None:
        """All rows that were not made of the best of others."""
        self.has_time = FEWEST_ROUNDS * len(rows) * self.one_round <= self.seconds
        self.race(rows)

    def race(self, rows: Sequence[Row]) -> None:
        """Rows that have not run yet. Where time is short, what is out of reach of the best of its kind that
        may be chosen leaves early."""
        self._race(rows, self._near_their_kind)

    def race_forms(self, rows: Sequence[Row], rivals: Sequence[Row], fewest: int) -> None:
        """Forms of one row, which is among the rivals, that have run. Where time is short, what is out of
        reach of all of these leaves, and each time the worse half, down to so many."""

        def stay(there: Sequence[Row]) -> list[Row]:
            near = self.near(there, first_of(self.best([*there, *rivals])))
            return self.ranked(near)[: max(fewest, (len(there) + 1) // 2)]

        self._race(rows, stay)

    def _race(self, rows: Sequence[Row], stay: Callable[[Sequence[Row]], list[Row]]) -> None:
        there, rounds = list(rows), self.rounds(len(rows))
        self.training.enter(rows)
        if self.has_time and rows:
            self.training.run([row.name for row in rows], rounds)
            return
        for number in range(rounds):
            there = stay(there) if number else there
            if there:
                self.training.run([row.name for row in there], 1, anew=number == 0)

    def _near_their_kind(self, rows: Sequence[Row]) -> list[Row]:
        found: list[Row] = []
        for kind in dict.fromkeys(row.kind for row in rows):
            of_kind = [row for row in rows if row.kind == kind]
            found += self.near(of_kind, first_of(self.best(of_kind)))
        return found

    def near(self, rows: Sequence[T], first: Row | None) -> list[T]:
        """Those that were measured, and may be better than another, if there is one, for all that their
        rounds tell."""
        there = self.best(rows, limited=False)
        return [row for row in there if first is None or not self._is_out_of_reach(row, first)]

    def _is_out_of_reach(self, row: Row, first: Row) -> bool:
        rounds = together_by_round(self.training, row.name, first.name, self.limit.goal.metrics)
        return min(rounds, default=1.0) > OUT_OF_REACH[min(len(rounds), len(OUT_OF_REACH)) - 1]

    def best(self, rows: Sequence[T], limited: bool = True) -> list[T]:
        """Those that were measured, and may be chosen, best first; what left early, by few runs, behind."""
        results = self.training.results
        there = [row for row in rows if row.name in results]
        if limited:
            there = [row for row in there if self.limit.allows(row.name, results[row.name])]

        return sorted(there, key=lambda row: rank(self.limit.goal, results[row.name]))

    def ranked(self, rows: Sequence[T]) -> list[T]:
        """By the newest runs; what needs too much only where nothing else is left."""
        return self.best(rows) or self.best(rows, limited=False)

    def close(self, rows: Sequence[T], fewest: int) -> list[T]:
        """So many at least of the best, and all that are not told from the first."""
        return contenders(self.training, self.best(rows), self.limit.goal.metrics, fewest)

    def is_worth_more(self, row: Row, other: Row) -> bool:
        """Whether pairs say that a plan or build is better than the other row: among equals the winner is a
        matter of chance, and what does not help is not wanted."""
        ratio = median_of(together_by_round(self.training, row.name, other.name, self.limit.goal.metrics))
        return ratio.verdict is Verdict.FASTER or ratio.ratio <= CLEARLY_BELOW


def first_of(rows: Sequence[T]) -> T | None:
    """The best of rows that are sorted, or None."""
    return next(iter(rows), None)
