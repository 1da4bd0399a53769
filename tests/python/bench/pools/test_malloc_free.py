"""The pool heap called directly: the worst size against the best allocator, at the limit of each pattern."""

import pytest

from malloom.bench.pools.malloc_free import goals_of
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row


def timed(size: int, baseline: str, ratio: float) -> Row:
    interval = Interval(ratio, ratio - 0.01, ratio + 0.01)
    return row(("pairs", f"lifo {size} bytes"), "pool heap", baseline, "pair_time", interval, runs=12)


@pytest.mark.parametrize(("pattern", "limit"), [("now", 1.0), ("lifo", 1.05), ("fifo", 1.0), ("random", 1.0)])
def test_the_worst_size_is_held(pattern: str, limit: float) -> None:
    rows = [timed(16, "glibc", 3.0), timed(16, "best", 1.02), timed(256, "best", 0.9)]
    (goal,) = goals_of(pattern, rows)
    assert (goal.row.input, goal.row.baseline) == ("lifo 16 bytes", "best")
    assert (goal.limit, goal.reached) == (limit, pattern == "lifo")


def test_without_a_best_allocator_nothing_is_held() -> None:
    assert goals_of("now", [timed(16, "glibc", 3.0)]) == []
