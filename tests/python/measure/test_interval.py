"""Ratios, their intervals, and the verdicts drawn from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.measure.interval import Interval, Verdict, exact, median_ratio

TIMES = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=20)


def test_clear_gain_is_faster() -> None:
    interval = median_ratio([1.0, 1.01, 0.99, 1.0, 1.02, 0.98], [2.0, 2.02, 1.97, 2.01, 2.0, 1.99])
    assert interval.verdict is Verdict.FASTER
    assert interval.ratio == pytest.approx(0.5, abs=0.01)


def test_clear_loss_is_slower() -> None:
    assert median_ratio([3.0] * 6, [2.0] * 6).verdict is Verdict.SLOWER


def test_interval_that_holds_one_is_no_difference() -> None:
    assert Interval(0.98, 0.95, 1.0).verdict is Verdict.NO_DIFFERENCE
    assert median_ratio([1.0, 2.0, 1.0, 2.0, 1.0, 2.0], [2.0, 1.0] * 3).verdict is Verdict.NO_DIFFERENCE


def test_same_noise_on_both_is_not_a_difference() -> None:
    random = np.random.default_rng(7)
    verdicts = [
        median_ratio(random.lognormal(0, 0.1, 20).tolist(), random.lognormal(0, 0.1, 20).tolist()).verdict
        for _ in range(200)
    ]
    assert verdicts.count(Verdict.NO_DIFFERENCE) >= 180


def test_counts_have_no_width() -> None:
    assert exact(0.75) == Interval(0.75, 0.75, 0.75)


@given(TIMES)
def test_interval_holds_its_median(times: list[float]) -> None:
    interval = median_ratio(times, [1.0] * len(times))
    assert min(times) <= interval.low <= interval.ratio <= interval.high <= max(times)


@given(TIMES, st.floats(min_value=0.1, max_value=10))
def test_machine_speed_cancels_out(times: list[float], factor: float) -> None:
    slowed = [time * factor for time in times]
    interval = median_ratio(slowed, slowed)
    assert (interval.low, interval.ratio, interval.high) == (1.0, 1.0, 1.0)
