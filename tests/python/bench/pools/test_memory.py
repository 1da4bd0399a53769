"""How much memory pools may need: by the larger of two allocators', and 4 MiB."""

import pytest

from malloom.bench.pools.memory import COMPARED, allowed, goal_of
from malloom.bench.pools.programs import START_UP
from python.bench.races import rounds_of

MEBIBYTE = 1 << 20
TIMES = {"glibc": 1.0, "mimalloc 2": 1.0, "pools": 1.0}


@pytest.mark.parametrize(("pools", "reached"), [(113, True), (114, True), (115, False)])
def test_the_larger_peak_counts(pools: int, reached: bool) -> None:
    peaks = {"glibc": 50 * MEBIBYTE, "mimalloc 2": 100 * MEBIBYTE, "pools": pools * MEBIBYTE}
    rounds = rounds_of(TIMES, peaks)
    assert allowed(rounds) == pytest.approx(114 * MEBIBYTE)
    goal = goal_of(START_UP, rounds)
    assert (goal.metric, goal.limit, goal.reached) == ("peak_memory", 1.0, reached)


def test_a_newer_mimalloc_that_needs_more_does_not_loosen_the_limit() -> None:
    peaks = {**dict.fromkeys(COMPARED, 50 * MEBIBYTE), "mimalloc": 500 * MEBIBYTE}
    assert allowed(rounds_of(dict.fromkeys(peaks, 1.0), peaks)) == pytest.approx(59 * MEBIBYTE)


def test_a_limit_in_bytes_is_judged_by_few_runs_too() -> None:
    assert goal_of(START_UP, rounds_of(TIMES, pairs=2)).reached
