"""How much the suite does: what its goals are set on, or a little of everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.cases import Case, Runnable
from malloom.bench.malloc_free import SIZES
from malloom.bench.pools import programs
from malloom.bench.ten_programs import heap_bytes
from malloom.measure.interleaved import Budget

AGAINST = "69039a1"
"""The last commit before the heap was built anew."""
FEWEST = 12
"""Interleaved pairs that any goal on time is judged by."""
LAST_LEVEL, SIZE = 32 << 20, "2x"
"""Heaps of 64 MB, whatever the machine, so that machines can be compared."""
QUICK_SIZE = "0.5x"
PEAKS = (Case("peaks", ("600", "1"), "kept_bytes"), Case("peaks", ("600", "0"), "kept_bytes"))
SCATTERED = Case("scattered", ("64", "20000", "1000"), "kept_bytes")


@dataclass(frozen=True)
class PoolsScale:
    """Programs and budgets. None was chosen by its result."""

    judges: bool
    """Whether there are pairs enough for its goals to mean something."""
    against: str
    ten: Sequence[Case]
    few_live: Sequence[Runnable]
    real: Sequence[Runnable]
    others: Sequence[Runnable]
    patterns: Sequence[Case]
    """Whose memory in use at the end is told beside their peak."""
    times: Budget
    start_up: Budget
    memory: Budget
    patterns_memory: Budget
    malloc_free: Budget
    object_sizes: Sequence[int]
    objects: int
    """That are made and freed in a run."""
    counted_objects: int
    """The same in the runs whose instructions are counted: twice as many in the longer one."""
    last_level: int
    heap_of_ten: int
    """Bytes of the heap of each of the ten programs."""


def full_scale(names: Sequence[str], last_level: int | None, against: str) -> PoolsScale:
    sized_by = last_level or LAST_LEVEL
    return PoolsScale(
        judges=True,
        against=against or AGAINST,
        ten=programs.the_ten(names, SIZE, sized_by),
        few_live=programs.few_live(),
        real=programs.real(),
        others=programs.others(),
        patterns=(*PEAKS, SCATTERED),
        times=Budget(fewest=FEWEST, most=40, seconds=20.0),
        start_up=Budget(fewest=200, most=1000, seconds=20.0),
        memory=Budget(most=6),
        patterns_memory=Budget(fewest=7, most=7),
        malloc_free=Budget(fewest=FEWEST, most=40, seconds=10.0),
        object_sizes=SIZES,
        objects=10_000_000,
        counted_objects=20_000,
        last_level=sized_by,
        heap_of_ten=heap_bytes(SIZE, sized_by),
    )


def quick_scale(names: Sequence[str], last_level: int | None, against: str) -> PoolsScale:
    """Everything once, small: for the tests. Its numbers judge nothing."""
    few, sized_by = Budget(fewest=2, most=2), last_level or 1 << 20
    return PoolsScale(
        judges=False,
        against=against or AGAINST,
        ten=programs.the_ten(names, QUICK_SIZE, sized_by),
        few_live=programs.few_live_small(),
        real=programs.real_small(),
        others=(),
        patterns=(Case("peaks", ("20", "1"), "kept_bytes"),),
        times=few,
        start_up=few,
        memory=few,
        patterns_memory=few,
        malloc_free=few,
        object_sizes=(64,),
        objects=100_000,
        counted_objects=2_000,
        last_level=sized_by,
        heap_of_ten=heap_bytes(QUICK_SIZE, sized_by),
    )
