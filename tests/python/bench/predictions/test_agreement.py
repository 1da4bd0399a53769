"""How well what was predicted agrees with what was measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.bench.goals import Goal
from malloom.bench.predictions.agreement import (
    Judged,
    Predictions,
    correlation,
    mean_error,
    rank_correlation,
    ranks,
    spread,
)
from malloom.bench.predictions.measuring import CORRELATION, DISAGREEMENT, summary
from malloom.measure.interleaved import Rounds
from malloom.measure.process import Run
from malloom.measure.rows import Row

NUMBERS = st.lists(st.integers(-9, 9), min_size=2, max_size=12)


def judged(times: dict[str, list[float]], **predicted: float) -> Judged:
    """Beside a layout as recorded that takes 1."""
    pairs = len(next(iter(times.values())))
    runs = {
        name: [Run(0, time, 0.0, time, 1 << 20, {}, "same", b"") for time in of]
        for name, of in {"recorded": [1.0] * pairs, **times}.items()
    }
    return Judged(Rounds(runs), "recorded", predicted)


def test_ranks_of_equals_are_shared() -> None:
    assert ranks([30.0, 10.0, 20.0, 20.0]).tolist() == [3, 0, 1.5, 1.5]


@given(NUMBERS)
def test_an_order_agrees_with_itself_whatever_the_distances(numbers: list[int]) -> None:
    if len(set(numbers)) > 1:
        assert rank_correlation(numbers, [number**3 for number in numbers]) == pytest.approx(1)
        assert rank_correlation(numbers, [-number for number in numbers]) == pytest.approx(-1)
    else:
        assert rank_correlation(numbers, np.arange(len(numbers))) == 0


@given(st.permutations(range(8)))
def test_without_equals_it_is_what_the_book_says(order: list[int]) -> None:
    differences = sum((place - at) ** 2 for at, place in enumerate(order))
    assert rank_correlation(range(8), order) == pytest.approx(1 - 6 * differences / (8 * 63))


def test_an_interval_is_of_the_rounds() -> None:
    steady = judged({"a": [0.5] * 8, "b": [0.8] * 8}, a=0.6, b=0.9)
    found = correlation([steady])
    assert (found.low, found.ratio, found.high) == pytest.approx((1, 1, 1))
    moving = judged({"a": [0.7, 1.4] * 4, "b": [1.4, 0.7] * 4}, a=0.6, b=0.9)
    found = correlation([moving])
    assert found.low is not None and found.high is not None
    assert found.low <= found.ratio <= found.high and found.low < found.high
    few = correlation([judged({"a": [0.5] * 2}, a=0.6)])
    assert few.low is None


def test_spread_and_error() -> None:
    found = judged({"a": [0.5] * 6, "b": [0.8] * 6}, a=0.5, b=0.4)
    apart = spread(found)
    assert (apart.low, apart.ratio, apart.high) == pytest.approx((2, 2, 2))
    assert spread(judged({"a": [1.0] * 6}, a=0.5)).ratio == 1
    assert mean_error(found) == pytest.approx(2**0.5)


def test_what_left_the_race_counts_nowhere() -> None:
    found = judged({"a": [0.5] * 6}, a=0.5, gone=0.1)
    assert found.names == ["recorded", "a"] and found.foretold.tolist() == [1.0, 0.5]


def test_the_mean_is_of_programs_whose_layouts_differ() -> None:
    races = Predictions()
    races["walk", "train"] = judged({"a": [0.5] * 6, "b": [0.8] * 6}, a=0.6, b=0.9)
    races["other", "train"] = judged({"a": [0.5] * 6, "b": [0.8] * 6}, a=0.9, b=0.95)
    races["same", "train"] = judged({"a": [1.01] * 6, "b": [1.0] * 6}, a=0.6, b=0.9)
    told = summary(races)
    first, second = [each for each in told if isinstance(each, Row)]
    (goal,) = [each for each in told if isinstance(each, Goal)]
    assert first.variant == CORRELATION and first.input.startswith("2 of 3 programs")
    assert first.ratio == pytest.approx(1)
    assert second.input == f"{first.input} beyond noise"
    assert goal.row.variant == DISAGREEMENT and goal.value == pytest.approx(0) and goal.reached
    noisy = Predictions()
    noisy["noise", "train"] = judged({"a": [0.5, 1.6, 0.8, 1.2, 1.2, 1.1, 1.3]}, a=0.6)
    (only,) = [each for each in summary(noisy) if isinstance(each, Row)]
    assert only.input == "1 of 1 programs, whose layouts differ by over 5 %"
    assert summary(Predictions()) == []


def test_races_can_be_kept() -> None:
    races = Predictions()
    races["walk", "train"] = judged({"a": [0.5] * 6}, a=0.6)
    again = Predictions()
    again.put_back(("walk", "train"), races.data_of(("walk", "train")))
    assert again["walk", "train"].pairs.tolist() == races["walk", "train"].pairs.tolist()
