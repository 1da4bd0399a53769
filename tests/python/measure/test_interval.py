"""Ratios, the exact intervals of their medians, and the verdicts drawn from them."""

from itertools import pairwise
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from malloom.measure.interval import (
    COVERAGE,
    ERROR,
    FEWEST_PAIRS,
    Interval,
    Verdict,
    beyond_coverage,
    chance_of_slower,
    exact,
    median_of,
    median_ratio,
    together,
    values_outside,
)

TIMES = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=FEWEST_PAIRS, max_size=20)
FEW = st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=FEWEST_PAIRS - 1)


def covered(count: int, outside: int) -> float:
    """How often the interval that leaves so many values out at each end holds the median: that is when more
    than these lie below the median, and more than these above it."""
    ways = sum(comb(count, below) for below in range(outside + 1, count - outside))
    return ways / 2**count


def test_clear_gain_is_faster() -> None:
    interval = median_ratio([1.0, 1.01, 0.99, 1.0, 1.02, 0.98], [2.0, 2.02, 1.97, 2.01, 2.0, 1.99])
    assert interval.verdict is Verdict.FASTER
    assert interval.ratio == pytest.approx(0.5, abs=0.01)


def test_clear_loss_is_slower() -> None:
    assert median_ratio([3.0] * 6, [2.0] * 6).verdict is Verdict.SLOWER


def test_interval_that_holds_one_is_no_difference() -> None:
    assert Interval(0.98, 0.95, 1.0).verdict is Verdict.NO_DIFFERENCE
    assert Interval(1.02, 1.0, 1.05).verdict is Verdict.NO_DIFFERENCE
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
    assert exact(0.75).width == 0


@pytest.mark.parametrize("count", range(FEWEST_PAIRS, 201))
def test_as_many_values_lie_outside_as_coverage_allows(count: int) -> None:
    outside = values_outside(count)
    assert outside is not None
    assert covered(count, outside) >= COVERAGE
    assert covered(count, outside + 1) < COVERAGE, "one more at each end would cover too little"


@pytest.mark.parametrize("count", [1023, 1024, 10_000])
def test_many_pairs_are_no_trouble(count: int) -> None:
    """As many as `malloom optimize --runs` takes; beside the normal distribution they come close to."""
    outside = values_outside(count)
    assert outside is not None and abs(outside - (count / 2 - 1.96 * count**0.5 / 2)) < 2
    assert 1 <= beyond_coverage(count) < 1.05


def test_the_numbers_of_the_textbooks() -> None:
    assert [values_outside(count) for count in (6, 8, 9, 12, 20, 100)] == [0, 0, 1, 2, 5, 39]


def test_more_pairs_never_leave_out_fewer() -> None:
    outside = [values_outside(count) or 0 for count in range(FEWEST_PAIRS, 201)]
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(outside))


def test_bounds_are_two_of_the_ratios() -> None:
    ratios = [float(number) for number in (9, 3, 7, 1, 5, 2, 8, 4, 6, 10, 12, 11)]
    assert median_of(ratios) == Interval(6.5, 3.0, 10.0)


@pytest.mark.parametrize("count", range(1, FEWEST_PAIRS))
def test_few_pairs_could_never_cover_enough(count: int) -> None:
    assert covered(count, 0) < COVERAGE
    assert values_outside(count) is None


@given(FEW)
def test_few_pairs_have_a_median_and_decide_nothing(times: list[float]) -> None:
    interval = median_ratio(times, [1e6] * len(times))
    assert interval == Interval(pytest.approx(float(np.median(times)) / 1e6), None, None)
    assert interval.verdict is Verdict.NO_DIFFERENCE
    assert interval.width == inf


@pytest.mark.parametrize("count", [6, 12, 25])
def test_intervals_hold_the_true_median_of_a_skewed_distribution(count: int) -> None:
    random = np.random.default_rng(13)
    held = 0
    for _ in range(4000):
        interval = median_of(random.exponential(size=count))
        assert interval.low is not None and interval.high is not None
        held += interval.low <= np.log(2) <= interval.high
    outside = values_outside(count)
    assert outside is not None
    # Three standard errors of 4000 draws.
    assert held / 4000 == pytest.approx(covered(count, outside), abs=0.01)
    assert held / 4000 >= COVERAGE


@given(TIMES)
def test_interval_holds_its_median(times: list[float]) -> None:
    interval = median_ratio(times, [1.0] * len(times))
    assert interval.low is not None and interval.high is not None
    assert min(times) <= interval.low <= interval.ratio <= interval.high <= max(times)


@given(TIMES, st.floats(min_value=0.1, max_value=10))
def test_machine_speed_cancels_out(times: list[float], factor: float) -> None:
    slowed = [time * factor for time in times]
    interval = median_ratio(slowed, slowed)
    assert (interval.low, interval.ratio, interval.high) == (1.0, 1.0, 1.0)


@given(TIMES, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(times: list[float], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(times, len(times))
    assert median_of(shuffled) == median_of(times)


@pytest.mark.parametrize(("count", "beyond"), [(2, 1.0), (6, 1.099), (10, 1.174), (200, 1.05)])
def test_few_values_cover_more_than_they_must(count: int, beyond: float) -> None:
    assert beyond_coverage(count) == pytest.approx(beyond, abs=0.005)


@given(st.lists(st.floats(min_value=0.5, max_value=2), min_size=FEWEST_PAIRS, max_size=60, unique=True))
def test_scipy_has_the_same_interval_and_the_same_chance(ratios: list[float]) -> None:
    """Its interval of a quantile is one by order statistics too."""
    ours = median_of(ratios)
    theirs = stats.quantile_test(ratios, q=1, p=0.5).confidence_interval(COVERAGE)
    assert (ours.low, ours.high) == (theirs.low, theirs.high)
    above = sum(ratio > 1 for ratio in ratios)
    chance = stats.binomtest(above, len(ratios), 0.5, alternative="greater").pvalue
    assert chance_of_slower(ratios) == pytest.approx(chance, rel=1e-9)


SAMPLES = st.lists(
    st.lists(st.floats(min_value=0.5, max_value=2), min_size=6, max_size=40), min_size=1, max_size=6
)


@given(SAMPLES)
def test_holms_correction_rejects_what_the_procedure_does(samples: list[list[float]]) -> None:
    """Step by step, from the least chance on, each against its share of half the error."""
    chances = [chance_of_slower(sample) for sample in samples]
    rejected: set[int] = set()
    for place, which in enumerate(sorted(range(len(samples)), key=lambda each: chances[each])):
        if chances[which] > float(ERROR) / 2 / (len(samples) - place):
            break
        rejected.add(which)
    intervals = together(samples)
    assert {which for which, each in enumerate(intervals) if (each.low or 0) > 1} == rejected
    alone = [median_of(sample) for sample in samples]
    assert all((one.low or 0) <= (other.low or 2) for one, other in zip(intervals, alone, strict=True))


def test_one_sample_needs_no_correction() -> None:
    assert together([[1.1] * 6]) == [median_of([1.1] * 6)]
    assert together([[1.1] * 6, [0.9] * 6])[0].low is None, "six pairs are too few for two at once"
    assert together([]) == []
