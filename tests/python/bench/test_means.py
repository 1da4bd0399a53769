"""Geometric means over programs."""

import math

import pytest

from malloom.bench.means import geometric_mean, mean_row, mean_row_against
from malloom.measure.interleaved import RaceId
from python.bench.races import rounds_of


def test_the_mean_is_of_the_programs_medians() -> None:
    mean = geometric_mean([[0.5, 0.4, 0.9, 0.45, 0.6, 0.5], [0.9, 0.8, 0.7, 0.85, 0.75, 0.8]])
    assert mean.ratio == pytest.approx(math.sqrt(0.5 * 0.8))
    assert mean.low is not None and mean.high is not None
    assert mean.low < mean.ratio < mean.high


def test_pairs_that_agree_leave_no_doubt() -> None:
    mean = geometric_mean([[0.25] * 8, [1.0] * 6])
    assert (mean.low, mean.ratio, mean.high) == pytest.approx((0.5, 0.5, 0.5))


def test_more_programs_narrow_the_interval() -> None:
    pairs = [0.8, 0.9, 1.0, 1.1, 1.2, 1.0]
    assert geometric_mean([pairs] * 10).width < geometric_mean([pairs]).width / 2


def test_one_program_with_few_pairs_leaves_no_interval() -> None:
    mean = geometric_mean([[0.5] * 20, [2.0] * 5])
    assert (mean.ratio, mean.low, mean.high) == (pytest.approx(1.0), None, None)


def test_a_mean_has_the_pairs_of_the_race_with_the_fewest() -> None:
    races = {
        ("ft", "2x"): rounds_of({"glibc": 1.0, "pools": 0.5}),
        ("mst", "2x"): rounds_of({"glibc": 1.0, "pools": 0.5}, pairs=4),
        ("art", "2x"): rounds_of({"glibc": 1.0}),
    }
    (found,) = mean_row(races, "programs", "pools", "glibc")
    assert found.place == ("geometric mean", "2 programs")
    assert (found.runs, found.low) == (4, None)
    assert mean_row(races, "programs", "jemalloc", "glibc") == []


def test_a_mean_is_of_the_races_that_have_both() -> None:
    ids = [RaceId(f"{name} 2x", "glibc") for name in ("ft", "mst", "art")]
    times = [{"glibc": 1.0, "pools": 0.5}, {"glibc": 1.0, "pools": 0.5}, {"glibc": 1.0}]
    races = {(race.name, "2x"): rounds_of(each, race=race) for race, each in zip(ids, times, strict=True)}
    (found,) = mean_row(races, "programs", "pools", "glibc")
    assert found.races == tuple(ids[:2])


def test_each_race_may_have_a_baseline_of_its_own() -> None:
    rounds = rounds_of({"glibc": 1.0, "mimalloc": 2.0, "pools": 1.0})
    against = [(rounds, "glibc"), (rounds, "mimalloc"), (rounds, None)]
    (found,) = mean_row_against(against, "programs", "pools", "best")
    assert (found.baseline, found.input) == ("best", "2 programs")
    assert found.ratio == pytest.approx(math.sqrt(0.5))
