"""The fastest of the general allocators, as a baseline."""

import pytest

from malloom.bench.general import best_of, finalists, row_against_best
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds
from python.bench.races import rounds_of

PLACE = ("ft", "2x")


def test_the_best_has_the_smallest_median() -> None:
    rounds = rounds_of({"glibc": 1.0, "mimalloc": 0.8, "jemalloc": 0.9, "pools": 0.1})
    assert best_of(rounds, ("glibc", "mimalloc", "jemalloc")) == "mimalloc"


def test_who_left_the_race_is_not_the_best() -> None:
    runs = rounds_of({"glibc": 1.0}).runs
    assert best_of(Rounds({**runs, "mimalloc": []}), ("mimalloc", "glibc", "tcmalloc")) == "glibc"


def test_nothing_is_the_best_of_nothing() -> None:
    with pytest.raises(CommandError, match="none of glibc, mimalloc was measured"):
        best_of(rounds_of({"pools": 1.0}), ("glibc", "mimalloc"))


def test_the_fastest_few_go_on_however_far_behind() -> None:
    rounds = rounds_of({"steady": 1.0, "odd": 1.02, "slow": 1.1, "slower": 1.2})
    names = ("slower", "slow", "odd", "steady")
    assert finalists(rounds, names, "cpu_time", 3) == ["steady", "odd", "slow"]
    assert finalists(rounds, names, "cpu_time", 1) == ["steady"]
    alike = rounds_of(dict.fromkeys(names, 1.0))
    assert len(finalists(alike, names, "cpu_time", 3)) == 3


def test_a_row_against_the_best_does_not_name_it() -> None:
    rounds = rounds_of({"glibc": 1.0, "mimalloc": 0.8, "pools": 0.4}, {"pools": 2 << 20})
    found = row_against_best(PLACE, rounds, "pools", ("glibc", "mimalloc"))
    assert (found.variant, found.baseline, found.metric) == ("pools", "best", "cpu_time")
    assert (found.ratio, found.runs, found.peak_rss_ratio) == (pytest.approx(0.5), 6, 2.0)
