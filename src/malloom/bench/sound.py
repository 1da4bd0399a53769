"""What must hold of whatever a suite keeps: of a row when it is measured, and of a file of finished steps
when it is read."""

import math
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from malloom.bench.goals import LIMIT, Goal
from malloom.bench.numbers import ONE
from malloom.measure.rows import Row

if TYPE_CHECKING:
    from malloom.bench.state import Finished, State


def problem_of_row(row: Row) -> str:
    """Why no measurement gives such a row; empty where one may. A file of JSON can hold no other.

    Counts may be 0, and differences, of counts or against a limit, below; so may what is compared with
    nothing, as a share of a gain is where there is a loss.
    """
    held = (row.ratio, row.low, row.high, row.peak_rss_ratio)
    if not all(math.isfinite(value) for value in held if value is not None):
        return f"{_named(row)} is no number"
    if (row.low is None) != (row.high is None):
        return f"{_named(row)} has half an interval"
    if row.low is not None and row.high is not None and not row.low <= row.ratio <= row.high:
        return f"{_named(row)} lies outside its interval"
    if row.ratio <= 0 and not row.is_exact and row.baseline not in (LIMIT, ONE):
        return f"{_named(row)} is not above 0"
    if row.peak_rss_ratio is not None and row.peak_rss_ratio <= 0:
        return f"the peak memory of {_shown(row)} is not above 0"
    return "" if row.runs > 0 and row.last_level >= 0 else f"{_named(row)} is of no run"


def problem_of_goal(goal: Goal) -> str:
    """The same of a row with a limit."""
    if goal.limit is not None and not math.isfinite(goal.limit):
        return f"the limit of {_shown(goal.row)} is no number"
    return problem_of_row(goal.row)


def problem_of_state(state: "State") -> str:
    """Why no run of a suite keeps such steps; empty where one may."""
    often = [id_ for id_, count in Counter(step.id for step in state.steps).items() if count > 1]
    if often:
        return f"{', '.join(often[0])} is in it twice"
    problems = (f"{', '.join(step.id)}: {why}" for step in state.steps if (why := _problem_of_step(step)))
    return next(problems, "")


def unknown_part(state: "State", parts: Collection[str]) -> str:
    """Why the steps are not all of a suite with these parts; empty where they are."""
    unknown = [step.part for step in state.steps if step.part not in parts]
    return f"the suite {state.suite} has no part '{unknown[0]}'" if unknown else ""


def _problem_of_step(step: "Finished") -> str:
    if not all(math.isfinite(seconds) and seconds >= 0 for seconds in (step.thought, step.seconds)):
        return "it took no time that there is"
    if step.is_empty:
        return "it has found nothing"
    rows, goals = map(problem_of_row, step.rows), map(problem_of_goal, step.goals)
    return next(filter(None, [*rows, *goals]), "")


def _named(row: Row) -> str:
    return f"the {row.metric} of {_shown(row)}"


def _shown(row: Row) -> str:
    return f"{' '.join(row.place)}, {row.variant},"
