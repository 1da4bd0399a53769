"""Goals: reached at their limit and not above, near it, and not judged where there is no interval."""

from dataclasses import replace

import pytest

from malloom.bench.goals import LIMIT, Goal, Of, against_limit
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

PLACE = ("cover", "300 300")


def a_row(ratio: float) -> Row:
    interval = Interval(ratio, ratio - 0.1, ratio + 0.1)
    return row(PLACE, "auto", "glibc", "cpu_time", interval, runs=6, peak=1.2)


def few_runs(ratio: float, peak: float = 1.2, baseline: str = "glibc") -> Row:
    return row(PLACE, "auto", baseline, "cpu_time", Interval(ratio, None, None), runs=5, peak=peak)


def test_goals_are_reached_at_their_limit_and_not_above() -> None:
    assert Goal(a_row(0.25), 0.25).reached
    assert Goal(a_row(0.26), 0.25).reached is False
    assert Goal(a_row(0.1), 1.10, Of.PEAK).reached is False
    assert Goal(a_row(0.1), 1.20, Of.PEAK).reached
    assert Goal(a_row(7.0), limit=None).reached is None, "there is nothing to reach"


def test_never_above_is_missed_where_it_is_measured_to_be_above() -> None:
    assert Goal(a_row(1.05), 1.00).reached is False
    assert Goal(a_row(1.05), 1.00).is_near
    assert not Goal(a_row(1.11), 1.00).is_near
    assert Goal(a_row(0.95), 1.00).is_near, "another time it might be missed"
    assert not Goal(a_row(0.89), 1.00).is_near
    assert not Goal(a_row(1.05), 1.20, Of.PEAK).is_near, "a peak has no interval"
    assert not Goal(a_row(1.05), None).is_near


@pytest.mark.parametrize(
    ("of", "limit", "reached", "near"),
    [
        (Of.LOW, 0.79, False, False),
        (Of.LOW, 0.89, False, True),
        (Of.LOW, 0.95, True, True),
        (Of.LOW, 1.2, True, False),
        (Of.HIGH, 0.85, False, False),
        (Of.HIGH, 1.05, False, True),
        (Of.HIGH, 1.11, True, True),
        (Of.HIGH, 1.21, True, False),
    ],
)
def test_an_end_of_the_interval_is_held_where_the_goal_says_so(
    of: Of, limit: float, reached: bool, near: bool
) -> None:
    goal = Goal(a_row(1.0), limit, of)
    assert (goal.reached, goal.is_near) == (reached, near)


@pytest.mark.parametrize("of", [Of.RATIO, Of.LOW, Of.HIGH])
@pytest.mark.parametrize("ratio", [0.1, 9.0])
def test_a_comparison_without_an_interval_is_not_judged(of: Of, ratio: float) -> None:
    goal = Goal(few_runs(ratio), 1.0, of)
    assert goal.reached is None
    assert not goal.is_judged
    assert not goal.is_near


def test_a_peak_needs_no_interval() -> None:
    assert Goal(few_runs(0.5, peak=1.1), 1.15, Of.PEAK).reached
    assert Goal(few_runs(0.5, peak=1.2), 1.15, Of.PEAK).reached is False


def test_a_peak_that_was_not_measured_is_not_judged() -> None:
    assert Goal(row(PLACE, "auto", "glibc", "cpu_time", exact(1.0)), 1.1, Of.PEAK).reached is None


def test_an_absolute_limit_is_judged_by_one_value() -> None:
    quick = against_limit(PLACE, "auto", "planning_time", [59.0], 60.0)
    assert (quick.row.baseline, quick.row.low, quick.reached) == (LIMIT, None, True)
    assert against_limit(PLACE, "auto", "planning_time", [61.0], 60.0).reached is False
    assert against_limit(PLACE, "auto", "planning_time", [20.0, 30.0, 50.0], 60.0).value == 0.5


def test_there_is_no_doubt_about_a_count() -> None:
    assert not Goal(row(PLACE, "auto", "glibc", "llc_misses", exact(0.3)), 0.3).is_near


def test_goals_for_machines_tell_limit_and_whether_it_is_reached() -> None:
    data = Goal(a_row(0.3), 0.25).as_data()
    assert (data["variant"], data["measured"], data["limit"], data["reached"]) == ("auto", 0.3, 0.25, False)
    assert Goal(a_row(0.9), 1.10, Of.PEAK).as_data()["metric"] == "peak_rss"
    assert Goal(few_runs(0.3), 0.25).as_data()["reached"] is None


def test_goals_for_machines_tell_what_the_limit_was_held_against() -> None:
    sized = replace(a_row(0.3), last_level=1 << 20)
    names = ("runs", "low", "high", "last_level")
    data = Goal(sized, 0.25, Of.HIGH).as_data()
    assert tuple(data[name] for name in names) == (6, pytest.approx(0.2), pytest.approx(0.4), 1 << 20)
    assert data["measured"] == data["high"]
    of_peak = Goal(sized, 1.10, Of.PEAK).as_data()
    assert tuple(of_peak[name] for name in names) == (6, None, None, 1 << 20), "the interval is the time's"
