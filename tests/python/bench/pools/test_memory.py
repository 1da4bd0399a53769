"""How much memory pools may need: by the larger of two allocators', and 4 MiB."""

import pytest

from malloom.bench.pools.memory import allowed, goal_of
from malloom.bench.pools.programs import Program
from python.bench.pools.races import rounds_of

MEBIBYTE = 1 << 20
TIMES = {"glibc": 1.0, "mimalloc": 1.0, "pools": 1.0}


@pytest.mark.parametrize(("pools", "reached"), [(113, True), (114, True), (115, False)])
def test_the_larger_peak_counts(pools: int, reached: bool) -> None:
    peaks = {"glibc": 50 * MEBIBYTE, "mimalloc": 100 * MEBIBYTE, "pools": pools * MEBIBYTE}
    rounds = rounds_of(TIMES, peaks)
    assert allowed(rounds) == pytest.approx(114 * MEBIBYTE)
    goal = goal_of(Program("ft", "2x", lambda bench: None), rounds)  # type: ignore[arg-type, return-value]
    assert (goal.metric, goal.limit, goal.reached) == ("peak_memory", 1.0, reached)
