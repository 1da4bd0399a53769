"""Pairs of malloc and free: what is held of them."""

from malloom.bench.dynamic.pairs import ON_TWO_THREADS, POOL_HEAP, goals_of
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row


def timed(size: int, variant: str, baseline: str, ratio: float) -> Row:
    interval = Interval(ratio, ratio - 0.01, ratio + 0.01)
    return row(("pairs", f"now {size} bytes"), variant, baseline, "pair_time", interval)


def test_the_best_allocator_at_the_worst_size_is_held() -> None:
    ratios = {16: {"glibc": 0.5, "mimalloc": 0.8, "tcmalloc": 0.7}, 256: {"glibc": 0.95, "mimalloc": 0.6}}
    rows = [timed(size, "pools", name, ratio) for size, of in ratios.items() for name, ratio in of.items()]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.row.baseline, goal.value) == ("now 256 bytes", "glibc", 0.95)
    assert (goal.limit, goal.reached) == (0.9, False)


def test_two_threads_are_held_against_one() -> None:
    rows = [
        timed(size, ON_TWO_THREADS["pools"], "pools", ratio)
        for size, ratio in ((16, 0.98), (64, 1.05), (256, 0.99))
    ]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.limit, goal.reached) == ("now 64 bytes", 1.0, False)


def test_the_heap_called_directly_is_held_apart() -> None:
    rows = [timed(16, name, "mimalloc", ratio) for name, ratio in (("pools", 0.97), (POOL_HEAP, 0.7))]
    assert [(goal.row.variant, goal.reached) for goal in goals_of(rows)] == [
        ("pools", False),
        (POOL_HEAP, True),
    ]


def test_other_allocators_are_not_held() -> None:
    assert goals_of([timed(16, "mimalloc", "glibc", 2.0)]) == []
