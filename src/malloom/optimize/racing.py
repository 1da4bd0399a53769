"""Races of rows on the training inputs, as long as there is time, and what is known of them then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from malloom.measure.interval import Verdict, median_of
from malloom.optimize.limit import Limit, score
from malloom.optimize.narrowing import contenders, together_by_round
from malloom.optimize.training import Row, Training

T = TypeVar("T", bound=Row)

STARTING = 0.02
"""Seconds that starting and checking a run takes on top of the program's own time."""
FEWEST_ROUNDS, MOST_ROUNDS = 3, 6
"""Of each row. With fewer than three the first run, a cold one, would count."""
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

    `seconds` is the time for choosing, `run_time` what one run on every training input takes.
    """

    training: Training
    limit: Limit
    seconds: float
    run_time: float
    rows: list[Row]

    @property
    def one_round(self) -> float:
        """Seconds of one run of a row on every training input."""
        return self.run_time + STARTING * len(self.training.races)

    def rounds(self, rows: int, most: int = MOST_ROUNDS) -> int:
        """FEWEST_ROUNDS, or more where they end within a third of the time."""
        one = max(rows, 1) * self.one_round
        return max(FEWEST_ROUNDS, min(most, int(self.seconds / 3 / one)))

    @property
    def has_time(self) -> bool:
        """Whether there is some for FEWEST_ROUNDS of all rows there are."""
        return FEWEST_ROUNDS * len(self.rows) * self.one_round <= self.seconds

    def expected(self, rows: int) -> float:
        """Seconds that so many rows take at most."""
        return self.rounds(rows) * rows * self.one_round

    def race(self, rows: Sequence[Row]) -> None:
        """Rows that have not run yet. Where there is no time for all rounds, what is out of reach of the best
        of its kind leaves them early."""
        self._race(rows, self._within_reach)

    def race_forms(self, rows: Sequence[Row], rivals: Sequence[Row], fewest: int) -> None:
        """The same of forms of one row, which is among the rivals, as they ran before: what is out of reach
        of these leaves, and each time the worse half, down to so many."""

        def stay(there: Sequence[Row], reach: float) -> list[Row]:
            near = [row for row in self._within_reach([*there, *rivals], reach) if row in there]
            return self.ranked(near)[: max(fewest, (len(there) + 1) // 2)]

        self._race(rows, stay)

    def _race(self, rows: Sequence[Row], stay: Callable[[Sequence[Row], float], list[Row]]) -> None:
        if not rows:
            return
        self.training.enter(rows)
        rounds = self.rounds(len(rows))
        if self.has_time:
            self.training.run([row.name for row in rows], rounds)
            return
        there = list(rows)
        for number in range(rounds):
            self.training.run([row.name for row in there], 1, anew=number == 0)
            there = stay(there, OUT_OF_REACH[min(number, len(OUT_OF_REACH) - 1)])

    def _within_reach(self, rows: Sequence[Row], reach: float) -> list[Row]:
        """Those that were so near to the best of their kind, or better, in some round. The best is one that
        may be chosen; what may not is told of nevertheless."""
        found: list[Row] = []
        for kind in dict.fromkeys(row.kind for row in rows):
            of_kind = [row for row in rows if row.kind == kind]
            allowed = self.best(of_kind)
            others = [row for row in self.best(of_kind, limited=False) if row not in allowed]
            found += contenders(self.training, [*allowed, *others], self.limit.goal.metrics, 1, reach)
        return found

    def best(self, rows: Sequence[T], limited: bool = True) -> list[T]:
        """Those that were measured, and may be chosen, best first."""
        results = self.training.results
        there = [row for row in rows if row.name in results]
        if limited:
            there = [row for row in there if self.limit.allows(row.name, results[row.name])]
        return sorted(there, key=lambda row: score(self.limit.goal, results[row.name]))

    def ranked(self, rows: Sequence[T]) -> list[T]:
        """By the newest runs; what needs too much only where nothing else is left."""
        return self.best(rows) or self.best(rows, limited=False)

    def close(self, rows: Sequence[T], fewest: int) -> list[T]:
        """So many at least of the best, and all that are not told from the first."""
        return contenders(self.training, self.best(rows), self.limit.goal.metrics, fewest)

    def within_reach(self, rows: Sequence[T], best: Sequence[Row]) -> list[T]:
        """Those that were measured, and did not stay so far behind others in each round that no more of them
        are needed to know it."""
        there = self.best(rows, limited=False)
        return [row for row in there if not any(self._is_out_of_reach(row, other) for other in best)]

    def _is_out_of_reach(self, row: Row, other: Row) -> bool:
        rounds = together_by_round(self.training, row.name, other.name, self.limit.goal.metrics)
        return min(rounds, default=1.0) > OUT_OF_REACH[min(len(rounds), len(OUT_OF_REACH)) - 1]

    def is_worth_more(self, row: Row, other: Row) -> bool:
        """Whether pairs say that a plan or build is better than the other row: among equals the winner is a
        matter of chance, and what does not help is not wanted."""
        ratio = median_of(together_by_round(self.training, row.name, other.name, self.limit.goal.metrics))
        return ratio.verdict is Verdict.FASTER or ratio.ratio <= CLEARLY_BELOW


def first_of(rows: Sequence[T]) -> T | None:
    """The best of rows that are sorted, or None."""
    return next(iter(rows), None)
