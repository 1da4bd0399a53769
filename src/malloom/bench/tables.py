"""Findings as tables of text: goals, failures, and how a row is described."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from malloom.bench.findings import Findings
from malloom.bench.goals import Goal, Of
from malloom.measure.rows import Row

GOALS = "What malloom must reach"
ROW_HEADINGS = ("workload", "variant", "against", "metric", "measured")
GOAL_HEADINGS = (*ROW_HEADINGS, "limit", "reached")


@dataclass(frozen=True)
class Shown:
    """A table as it is read: a title, headings, and rows of text."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def goals_table(findings: Findings) -> Shown:
    return Shown(GOALS, GOAL_HEADINGS, [goal_cells(goal) for goal in findings.goals])


def failures_table(findings: Findings) -> Shown:
    failures = [(failure.part, failure.what, failure.why) for failure in findings.failures]
    return Shown("What could not be measured", ("part", "what", "why"), failures)


def notes_table(findings: Findings) -> Shown:
    notes = [(note.part, note.what, note.note) for note in findings.notes]
    return Shown("Notes", ("part", "what", "note"), notes)


def print_all(console: Console, tables: Sequence[Shown]) -> None:
    """All that there is to show."""
    for shown in tables:
        table = Table(*shown.headings, title=shown.title, title_justify="left")
        for cells in shown.rows:
            table.add_row(*cells)
        console.print(table)


def described(row: Row | None, claim: float | None) -> str:
    """What was measured, behind what a paper has for it."""
    today = describe_interval(row) if row else "-"
    return today if claim is None else f"{claim:.3f} → {today}"


def describe_interval(row: Row) -> str:
    """`0.512 [0.500 0.523] n 12` with the number of pairs, or the ratio alone where it is exact."""
    if row.low == row.high:
        return f"{row.ratio:.3f}"
    return f"{row.ratio:.3f} [{row.low:.3f} {row.high:.3f}] n {row.runs}"


def row_cells(row: Row) -> tuple[str, ...]:
    """Workload, variant, baseline, metric and measured."""
    return f"{row.workload} {row.input}", row.variant, row.baseline, row.metric, describe_interval(row)


def goal_cells(goal: Goal) -> tuple[str, ...]:
    """A row's, then the limit and whether it is reached."""
    measured = f"{goal.value:.3f}" if goal.of is Of.PEAK else describe_interval(goal.row)
    reached = f"{'yes' if goal.reached else 'NO'}{', within noise' if goal.is_near else ''}"
    return *row_cells(goal.row)[:3], goal.metric, measured, _limit(goal), reached


def _limit(goal: Goal) -> str:
    """`1.03`, and of the interval's ends which one is held against it."""
    if goal.limit is None:
        return "a verdict"
    end = f" {goal.of} end" if goal.of in (Of.LOW, Of.HIGH) else ""
    return f"{goal.limit:.2f}{end}"
