"""What a suite has found so far: rows by the part that measured them, goals, and what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from malloom.bench.goals import LIMIT, Goal
from malloom.measure.host import Host
from malloom.measure.interleaved import Rounds, again
from malloom.measure.rows import MEASURED_ON, Place, Row, control_rows

LARGEST_DIFFERENCE = 0.01
"""Of a baseline from itself, as a part of it or of the limit: where there is more, nothing near it can be
told."""
AND = " and "
"""Between values of which there should be one."""


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


@dataclass(frozen=True)
class LeftOut:
    """A step that was not measured because what it needs is not there."""

    part: str
    what: str
    why: str


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
    left_out: list[LeftOut] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    """What the steps were measured on that were taken over from earlier runs."""
    ended_by: KeyboardInterrupt | SystemExit | None = None
    """What a signal raised that ended the suite before its time; to be raised again when all is kept."""

    def add(self, part: str, found: Sequence[Row | Goal], last_level: int = 0) -> None:
        """Takes in what a step has found, with inputs sized by a last level of so many bytes."""
        for each in found:
            if isinstance(each, Goal):
                self.goals.append((part, replace(each, row=self._told(each.row, last_level))))
            else:
                self.rows.append((part, self._told(each, last_level)))

    def _told(self, row: Row, last_level: int) -> Row:
        """With what it was measured on."""
        commit, processor, date = (str(self.host.get(name, "unknown")) for name in MEASURED_ON)
        return replace(row, last_level=last_level, commit=commit, processor=processor, date=date)

    def take_over(self, others: "Findings") -> None:
        """All that others have found."""
        self.rows += others.rows
        self.goals += others.goals
        self.failures += others.failures
        self.notes += others.notes
        self.left_out += others.left_out

    @property
    def measured_on(self) -> Host:
        """What all was measured on; where that differs, every value once."""
        values: dict[str, dict[str | int, None]] = {}
        for host in (self.host, *self.hosts):
            for name, value in host.items():
                values.setdefault(name, {})[value] = None
        return {
            name: AND.join(map(str, found)) if len(found) > 1 else next(iter(found))
            for name, found in values.items()
        }

    def of(self, part: str) -> list[Row]:
        """The part's rows; those of all parts where it is empty."""
        return [row for each, row in self.rows if part in ("", each)]

    def all_rows(self) -> list[tuple[str, Row]]:
        """Every row with its part, once: a goal on time and one on memory share theirs."""
        held = [(part, goal.row) for part, goal in self.goals]
        return list(dict.fromkeys([*self.rows, *held]))

    def controls_of(self, part: str, row: Row) -> list[Row]:
        """The controls that a row relies on, of each race behind it one where there is one: that of the row's
        baseline, or where this ran once, that of what all in the race is compared with."""
        controls = [each for each in self.of(part) if each.metric == row.metric and is_control(each)]
        found = []
        for race in row.races:
            theirs = {control.baseline: control for control in controls if race in control.races}
            control = theirs.get(row.baseline) or theirs.get(race.baseline)
            found += [control] if control else []
        return found

    def disturbed(self, part: str, row: Row) -> list[Row]:
        """Those of a row's controls that differ from what they should be by more than they may."""
        return [control for control in self.controls_of(part, row) if _strays(control)]


def is_control(row: Row) -> bool:
    """Whether it is a baseline against itself: their ratio, or with a limit their difference."""
    is_difference = row.baseline == LIMIT and row.variant.endswith(again(""))
    return is_difference or row.variant == again(row.baseline)


def reliable(races: Mapping[Place, Rounds], baseline: str, metric: str) -> dict[Place, Rounds]:
    """The races in which the baseline, run twice, hardly differed from itself."""
    controls = {place: control_rows(place, rounds, baseline, metric) for place, rounds in races.items()}
    return {
        place: races[place]
        for place, rows in controls.items()
        if rows and not any(_strays(control) for control in rows)
    }


def _strays(control: Row) -> bool:
    undisturbed = 0.0 if control.baseline == LIMIT else 1.0
    return abs(control.ratio - undisturbed) > LARGEST_DIFFERENCE
