"""The goals and the verdicts as a table for a README."""

from collections.abc import Sequence

from malloom.bench.placement.goals import Goal
from malloom.bench.placement.tables import GOAL_HEADINGS, goal_cells


def to_markdown(goals: Sequence[Goal]) -> str:
    """One row a goal, in the order in which they were measured."""
    rows = [GOAL_HEADINGS, ("---",) * len(GOAL_HEADINGS), *(goal_cells(goal) for goal in goals)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
