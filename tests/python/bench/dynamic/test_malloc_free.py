"""A malloc and its free: what is held of them."""

from malloom.bench.dynamic.malloc_free import ON_TWO_THREADS, goals_of
from malloom.bench.malloc_free import POOL_HEAP
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row


def timed(size: int, variant: str, baseline: str, ratio: float) -> Row:
    interval = Interval(ratio, ratio - 0.01, ratio + 0.01)
    return row(("pairs", f"now {size} bytes"), variant, baseline, "pair_time", interval)


def test_the_best_allocator_at_the_worst_size_is_held() -> None:
    rows = [
        timed(16, "pools", "best", 0.8),
        timed(256, "pools", "best", 0.95),
        timed(16, "pools", "glibc", 2),
    ]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.row.baseline, goal.value) == ("now 256 bytes", "best", 0.95)
    assert (goal.limit, goal.reached) == (0.9, False)


def test_two_threads_are_held_against_one() -> None:
    rows = [
        timed(size, ON_TWO_THREADS["pools"], "pools", ratio)
        for size, ratio in ((16, 0.98), (64, 1.05), (256, 0.99))
    ]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.limit, goal.reached) == ("now 64 bytes", 1.0, False)


def test_the_heap_called_directly_is_held_apart() -> None:
    rows = [timed(16, name, "best", ratio) for name, ratio in (("pools", 0.97), (POOL_HEAP, 0.7))]
    assert [(goal.row.variant, goal.reached) for goal in goals_of(rows)] == [
        ("pools", False),
        (POOL_HEAP, True),
    ]


def test_other_allocators_are_not_held() -> None:
    assert goals_of([timed(16, "mimalloc", "glibc", 2.0)]) == []
