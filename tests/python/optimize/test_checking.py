"""What is kept and what is refused, by pairs of runs with times and peaks made by hand."""

import pytest

from malloom.measure.interval import fewest_pairs
from malloom.optimize.checking import Judged, why_refused
from malloom.optimize.goal import Goal
from malloom.optimize.limit import Limit
from malloom.optimize.training import AS_IT_IS
from python.bench.races import rounds_of

LARGE = 100 << 20
"""Bytes: with less, what is allowed beside a ratio counts."""


def judged(times: dict[str, dict[str, float]], peaks: dict[str, float] | None = None) -> Judged:
    """By input, the seconds of each row; the program as it is takes one. Peaks are ratios to its own."""
    needed = {name: int(LARGE * (peaks or {}).get(name, 1.0)) for name in (AS_IT_IS, "plan", "setting")}
    return Judged({given: rounds_of({AS_IT_IS: 1.0, **each}, needed) for given, each in times.items()})


def why(found: Judged, rival: str | None = None, goal: Goal = Goal.time) -> str:
    return why_refused(found, "plan", rival, goal, Limit(goal))


def test_an_input_that_has_too_few_pairs_for_its_share_of_the_error_refuses() -> None:
    found = judged({"good": {"plan": 0.4}, "bad": {"plan": 1.5}})
    assert found.pairs == 6
    assert why(found) == "there are too few pairs to say that it is not slower on good, bad"
    assert why(judged({"good": {"plan": 0.4}})) == ""
    assert why(judged({"bad": {"plan": 1.5}})) == "it is slower on bad"


@pytest.mark.parametrize(("inputs", "pairs"), [(1, 6), (2, 7), (3, 7), (4, 8), (7, 9), (13, 10), (26, 11)])
def test_more_inputs_need_more_pairs_each(inputs: int, pairs: int) -> None:
    assert fewest_pairs(inputs) == pairs


@pytest.mark.parametrize("goal", list(Goal))
def test_peak_memory_is_limited_on_check_inputs_whatever_the_goal(goal: Goal) -> None:
    found = judged({"one": {"plan": 0.8}}, {"plan": 1.2})
    assert why(found, goal=goal) == "it needs 1.20 of the program's peak memory on one, more than 1.15"


def test_a_plan_is_not_kept_where_the_setting_that_it_must_beat_was_not_measured() -> None:
    times = {"one": {"plan": 0.8, "setting": 0.9}}
    assert why(judged(times), "setting") == ""
    assert why(judged({"one": {"plan": 0.9, "setting": 0.8}}), "setting") == (
        "it is not measurably better than setting"
    )
    del times["one"]["setting"]
    assert why(judged(times), "setting") == "setting, which it must beat, was not measured on every input"
