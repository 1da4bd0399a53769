"""What a suite has found so far: rows by the part that measured them, goals, and what failed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from malloom.bench.goals import Goal
from malloom.measure.rows import Host, Row


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
    goals: list[Goal] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    ended_by: KeyboardInterrupt | SystemExit | None = None
    """What a signal raised that ended the suite before its time; to be raised again when all is kept."""

    def add(self, part: str, found: Sequence[Row | Goal]) -> None:
        for each in found:
            if isinstance(each, Goal):
                self.goals.append(each)
            else:
                self.rows.append((part, each))

    def of(self, part: str) -> list[Row]:
        return [row for each, row in self.rows if each == part]

    def all_rows(self) -> list[Row]:
        """Every row once: a goal on time and one on memory share theirs."""
        return list(dict.fromkeys([*(row for _, row in self.rows), *(goal.row for goal in self.goals)]))
