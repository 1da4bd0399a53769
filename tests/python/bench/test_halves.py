"""The best is chosen in odd rounds, and held against in even ones."""

import pytest

from malloom.bench.halves import with_best
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds
from malloom.measure.process import Run


def rounds_of(**times: list[float]) -> Rounds:
    return Rounds(
        {
            name: [Run(0, seconds, 0.0, seconds, 1 << 20, {}, "same", b"") for seconds in of_rounds]
            for name, of_rounds in times.items()
        }
    )


LUCKY = rounds_of(glibc=[1.0, 1.0, 1.0, 1.0], lucky=[0.5, 2.0, 0.5, 2.0], steady=[0.9, 0.8, 0.9, 0.8])


def test_who_is_best_in_odd_rounds_is_held_against_in_the_even_ones() -> None:
    even = with_best(LUCKY, {"best": ("glibc", "lucky", "steady")}, "cpu_time")
    assert even.values("best", "cpu_time") == [2.0, 2.0]
    assert even.pair_ratios("steady", "best") == [0.4, 0.4]


def test_several_kinds_of_best_are_chosen_each_of_its_own() -> None:
    even = with_best(LUCKY, {"best": ("glibc", "steady"), "best row": ("lucky", "steady")}, "cpu_time")
    assert even.values("best", "cpu_time") == [0.8, 0.8]
    assert even.values("best row", "cpu_time") == [2.0, 2.0]
    assert even.values("glibc", "cpu_time") == [1.0, 1.0]


def test_who_left_the_race_is_not_the_best() -> None:
    rounds = Rounds({**LUCKY.runs, "gone": []})
    assert with_best(rounds, {"best": ("gone", "glibc")}, "cpu_time").pair_ratios("glibc", "best") == [
        1.0,
        1.0,
    ]


def test_nothing_is_the_best_of_nothing() -> None:
    with pytest.raises(CommandError, match="none of gone was measured"):
        with_best(LUCKY, {"best": ("gone",)}, "cpu_time")
