"""Geometric means over programs."""

import math

import pytest

from malloom.bench.dynamic.means import geometric_mean


def test_the_mean_is_of_the_programs_medians() -> None:
    mean = geometric_mean([[0.5, 0.4, 0.9], [0.9, 0.8, 0.7]])
    assert mean.ratio == pytest.approx(math.sqrt(0.5 * 0.8))
    assert mean.low < mean.ratio < mean.high


def test_pairs_that_agree_leave_no_doubt() -> None:
    mean = geometric_mean([[0.25] * 5, [1.0] * 3])
    assert (mean.low, mean.ratio, mean.high) == pytest.approx((0.5, 0.5, 0.5))


def test_more_programs_narrow_the_interval() -> None:
    pairs = [0.8, 0.9, 1.0, 1.1, 1.2]
    assert geometric_mean([pairs] * 10).width < geometric_mean([pairs]).width / 2
