"""Findings as tables of text: what each shows, and what a reader must know of the runs behind it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from malloom.bench.findings import AND, Findings, is_control
from malloom.bench.goals import Goal, Of
from malloom.bench.remarks import remarks_on
from malloom.measure.rows import Place, Row, describe_interval

GOALS = "What malloom must reach"
COMMIT = "commit"
"""The column of tables whose rows are of several commits."""
UNRELIABLE = "unreliable"
"""What is said of numbers whose controls differ too much from 1."""
ROW_HEADINGS = ("workload", "variant", "against", "metric", "measured")
GOAL_HEADINGS = (*ROW_HEADINGS, "limit", "reached")


@dataclass(frozen=True)
class Shown:
    """A table as it is read: a title, headings, rows of text, and remarks below."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """Which rows of a part a table shows, and how: those of one metric, of all parts where `part` is empty,
    and of one baseline unless `baseline` is empty; a line an input, a column a variant, or the other way
    round where it is `turned`.

    `columns` are the variants in their order; empty: all, as they were measured. `place` and `variant` say
    under which input and variant a row is shown.
    """

    title: str
    part: str
    metric: str
    baseline: str = ""
    columns: Sequence[str] = ()
    shows: Callable[[Row], bool] = lambda row: True
    cell: Callable[[Row], str] = describe_interval
    place: Callable[[Row], Place] = lambda row: row.place
    variant: Callable[[Row], str] = lambda row: row.variant
    turned: bool = False

    def rows(self, findings: Findings) -> list[Row]:
        return [
            row
            for row in findings.of(self.part)
            if row.metric == self.metric and self.baseline in ("", row.baseline) and self.shows(row)
        ]

    def shown(self, findings: Findings) -> Shown:
        """The table of the findings; without rows where nothing was measured for it."""
        rows = self.rows(findings)
        cells = {(self.place(row), self._name(row)): self.cell(row) for row in rows}
        places = list(dict.fromkeys(self.place(row) for row in rows))
        told = {place: " ".join(place) for place in places}
        for row in rows:
            if findings.disturbed(self.part, row):
                told[self.place(row)] = f"{' '.join(self.place(row))} ({UNRELIABLE})"
        names = self._names(rows)
        if commits := self._commits(rows):
            names = [*names, COMMIT]
            cells |= {(place, COMMIT): commits[place] for place in places}
        if self.turned:
            lines = [(name, *(cells.get((place, name), "-") for place in places)) for name in names]
            headings = ("variant", *(told[place] for place in places))
        else:
            lines = [(told[place], *(cells.get((place, name), "-") for name in names)) for place in places]
            headings = ("program", *names)
            lines += self._left_out(findings, len(names)) if rows else []
        return Shown(self.title, headings, lines, remarks_on([(self.part, row) for row in rows], findings))

    def _left_out(self, findings: Findings, columns: int) -> list[tuple[str, ...]]:
        """A line for each step of the part that was left out: why, and no number."""
        no_numbers = ("-",) * (columns - 1)
        return [
            (each.what, each.why, *no_numbers) for each in findings.left_out if self.part in ("", each.part)
        ]

    def _commits(self, rows: Sequence[Row]) -> dict[Place, str]:
        """At which commit each line was measured, where not all were at one."""
        if len({row.commit for row in rows}) < 2:
            return {}
        found: dict[Place, dict[str, None]] = {}
        for row in rows:
            found.setdefault(self.place(row), {})[measured_at(row)] = None
        return {place: AND.join(commits) for place, commits in found.items()}

    def _name(self, row: Row) -> str:
        return self.variant(row) if self.baseline else f"{self.variant(row)} / {row.baseline}"

    def _names(self, rows: Sequence[Row]) -> list[str]:
        """The variants in their order; what the baseline was against itself comes first."""
        measured = dict.fromkeys(self._name(row) for row in rows)
        controls = dict.fromkeys(self._name(row) for row in rows if is_control(row))
        wanted = [name for name in self.columns if name in measured] if self.columns else list(measured)
        return [*controls, *(name for name in wanted if name not in controls)]


def measured_at(row: Row) -> str:
    return f"{row.commit}, {row.date}"


def all_shown(
    tables: Sequence[Table], findings: Findings, facts: Sequence[tuple[str, str]] = ()
) -> list[Shown]:
    """What was measured on, every table that the findings can fill, the goals, the notes and the failures."""
    found = [host_table(findings, facts), *(table.shown(findings) for table in tables)]
    found += [goals_table(findings), notes_table(findings)]
    found += [left_out_table(findings), failures_table(findings)]
    return [shown for shown in found if shown.rows]


def host_table(findings: Findings, facts: Sequence[tuple[str, str]]) -> Shown:
    """The machine and the sources, and what a suite adds."""
    host = dict(findings.measured_on)
    if host.get("last_level"):
        sizes = str(host["last_level"]).split(AND)
        host["last_level"] = AND.join(f"{int(size) / (1 << 20):g} MiB" for size in sizes)
    lines = [(name.replace("_", " "), str(value)) for name, value in host.items()]
    return Shown("Measured on", ("what", "which"), [*lines, *facts])


def goals_table(findings: Findings) -> Shown:
    lines = [goal_cells(part, goal, findings) for part, goal in findings.goals]
    rows = [(part, goal.row) for part, goal in findings.goals]
    headings: tuple[str, ...] = GOAL_HEADINGS
    if len({row.commit for _, row in rows}) > 1:
        headings = (*headings, COMMIT)
        lines = [(*cells, measured_at(row)) for cells, (_, row) in zip(lines, rows, strict=True)]
    return Shown(GOALS, headings, lines, remarks_on(rows, findings))


def failures_table(findings: Findings) -> Shown:
    failures = [(failure.part, failure.what, failure.why) for failure in findings.failures]
    return Shown("What could not be measured", ("part", "what", "why"), failures)


def left_out_table(findings: Findings) -> Shown:
    lines = [(each.part, each.what, each.why) for each in findings.left_out]
    return Shown("What was left out", ("part", "what", "why"), lines)


def notes_table(findings: Findings) -> Shown:
    notes = [(note.part, note.what, note.note) for note in findings.notes]
    return Shown("Notes", ("part", "what", "note"), notes)


def goal_cells(part: str, goal: Goal, findings: Findings) -> tuple[str, ...]:
    """A row's, then the limit and whether it is reached."""
    row = goal.row
    measured = describe_interval(row) if goal.of is not Of.PEAK or goal.value is None else f"{goal.value:.3f}"
    reached = [_reached(goal)]
    reached += [mark for mark, holds in marks_of(part, goal, findings).items() if holds]
    place = " ".join(row.place)
    return place, row.variant, row.baseline, goal.metric, measured, _limit(goal), ", ".join(reached)


def marks_of(part: str, goal: Goal, findings: Findings) -> dict[str, bool]:
    """What a reader must know before he relies on whether a goal is reached."""
    is_disturbed = bool(findings.disturbed(part, goal.row))
    return {"within noise": goal.is_near, UNRELIABLE: goal.of is not Of.PEAK and is_disturbed}


def goals_data(findings: Findings) -> list[dict[str, Any]]:
    """The goals for machines."""
    return [
        {"part": part, **goal.as_data(), **marks_of(part, goal, findings)} for part, goal in findings.goals
    ]


def rows_data(findings: Findings) -> list[dict[str, Any]]:
    """The rows for machines, each with its part, and whether the races behind it can be relied on."""
    found = []
    for part, row in findings.all_rows():
        unreliable = bool(findings.disturbed(part, row))
        found.append({"part": part, **asdict(row), "unreliable": unreliable})
    return found


def _reached(goal: Goal) -> str:
    """A dash where there is nothing to reach."""
    if goal.reached is None:
        return "-" if goal.limit is None else f"not judged: {goal.row.runs} pairs"
    return "yes" if goal.reached else "NO"


def _limit(goal: Goal) -> str:
    """`1.03`, and of the interval's ends which one is held against it."""
    if goal.limit is None:
        return "a verdict"
    end = f" {goal.of} end" if goal.of in (Of.LOW, Of.HIGH) else ""
    return f"{goal.limit:.2f}{end}"


def print_all(console: Console, tables: Sequence[Shown]) -> None:
    """All that there is to show."""
    for shown in tables:
        table = RichTable(*shown.headings, title=shown.title, title_justify="left")
        table.caption, table.caption_justify = "\n".join(shown.remarks) or None, "left"
        for cells in shown.rows:
            table.add_row(*cells)
        console.print(table)
