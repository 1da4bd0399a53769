"""What a suite has found so far: rows by the part that measured them, goals, and what failed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from malloom.bench.goals import Goal
from malloom.bench.means import MEAN
from malloom.measure.host import Host
from malloom.measure.interleaved import again
from malloom.measure.rows import Place, Row

LARGEST_DIFFERENCE = 0.01
"""Of a baseline against itself: where there is more, nothing near it can be told."""


@dataclass(frozen=True)
class Failure:
    """A step, or one variant in it, that could not be measured."""

    part: str
    what: str
    why: str


@dataclass(frozen=True)
class Note:
    """What the reader of a step's rows should know; nothing failed."""

    part: str
    what: str
    note: str


@dataclass
class Findings:
    """Grows step by step; what is there is good whatever fails later."""

    host: Host = field(default_factory=dict)
    rows: list[tuple[str, Row]] = field(default_factory=list)
    """Part and row."""
    goals: list[tuple[str, Goal]] = field(default_factory=list)
    """Part and goal."""
    failures: list[Failure] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    ended_by: KeyboardInterrupt | SystemExit | None = None
    """What a signal raised that ended the suite before its time; to be raised again when all is kept."""

    def add(self, part: str, found: Sequence[Row | Goal], last_level: int = 0) -> None:
        """Takes in what a step has found, with inputs sized by a last level of so many bytes."""
        for each in found:
            if isinstance(each, Goal):
                self.goals.append((part, replace(each, row=replace(each.row, last_level=last_level))))
            else:
                self.rows.append((part, replace(each, last_level=last_level)))

    def of(self, part: str) -> list[Row]:
        return [row for each, row in self.rows if each == part]

    def all_rows(self) -> list[tuple[str, Row]]:
        """Every row with its part, once: a goal on time and one on memory share theirs."""
        held = [(part, goal.row) for part, goal in self.goals]
        return list(dict.fromkeys([*self.rows, *held]))

    def lacks_control(self, part: str, place: Place, metric: str) -> bool:
        """Whether no baseline ran twice in a part's races of a program."""
        return not any(
            (row.place, row.metric) == (place, metric) and is_control(row) for row in self.of(part)
        )

    def disturbed(self, part: str, place: Place, metric: str) -> Row | None:
        """The row in which a baseline differs from itself by more than it may, in a part's races of a
        program; of a mean, in those of any program that it is over. None where there is no such row."""
        for row in self.of(part):
            is_its_control = _is_behind(row, place) and row.metric == metric and is_control(row)
            if is_its_control and abs(row.ratio - 1) > LARGEST_DIFFERENCE:
                return row
        return None


def _is_behind(row: Row, place: Place) -> bool:
    """Whether the row is of the place's own races, or of a program that a mean is over: at its size, if it
    says one."""
    workload, given = place
    if workload != MEAN:
        return row.place == place
    _, at, size = given.partition(" at ")
    return not at or row.input == size


def is_control(row: Row) -> bool:
    """Whether it is a baseline against itself."""
    return row.variant == again(row.baseline)
