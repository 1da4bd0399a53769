"""How much the suite does: what its goals are set on, or a little of everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.dynamic.pairs import SIZES
from malloom.bench.dynamic.paper import PROGRAMS
from malloom.bench.pools import programs
from malloom.bench.pools.programs import Program
from malloom.bench.workloads import Case
from malloom.measure.interleaved import Budget

AGAINST = "69039a1"
"""The last commit before the heap was built anew."""
FEWEST = 12
"""Interleaved pairs that any goal on time is judged by."""
LAST_LEVEL, SIZE = 32 << 20, "2x"
"""Heaps of 64 MB, whatever the machine, so that machines can be compared."""
PEAKS = (Case("peaks", ("600", "1"), "kept_bytes"), Case("peaks", ("600", "0"), "kept_bytes"))
SCATTERED = Case("scattered", ("64", "20000", "1000"), "kept_bytes")


@dataclass(frozen=True)
class Scale:
    """Programs and budgets. None was chosen by its result."""

    judges: bool
    """Whether there are pairs enough for its goals to mean something."""
    against: str
    ten: Sequence[Program]
    few_live: Sequence[Program]
    real: Sequence[Program]
    others: Sequence[Program]
    patterns: Sequence[Case]
    """Whose memory in use at the end is told beside their peak."""
    times: Budget
    start_up: Budget
    memory: Budget
    patterns_memory: Budget
    pairs: Budget
    pair_sizes: Sequence[int]
    pairs_count: int
    counted_pairs: int
    """Pairs in the runs whose instructions are counted: as many again in the longer one."""


def full_scale(names: Sequence[str] = PROGRAMS, last_level: int | None = None, against: str = "") -> Scale:
    return Scale(
        judges=True,
        against=against or AGAINST,
        ten=programs.the_ten(names, SIZE, last_level or LAST_LEVEL),
        few_live=programs.few_live(),
        real=programs.real(),
        others=programs.others(),
        patterns=(*PEAKS, SCATTERED),
        times=Budget(fewest=FEWEST, most=40, seconds=20.0),
        start_up=Budget(fewest=200, most=1000, seconds=20.0),
        memory=Budget(fewest=3, most=3),
        patterns_memory=Budget(fewest=7, most=7),
        pairs=Budget(fewest=FEWEST, most=40, seconds=10.0),
        pair_sizes=SIZES,
        pairs_count=10_000_000,
        counted_pairs=20_000,
    )


def quick_scale(names: Sequence[str] = PROGRAMS, last_level: int | None = None, against: str = "") -> Scale:
    """Everything once, small: for the tests. Its numbers judge nothing."""
    few = Budget(fewest=2, most=2)
    return Scale(
        judges=False,
        against=against or AGAINST,
        ten=programs.the_ten(names, "0.5x", last_level or 1 << 20),
        few_live=programs.few_live_small(),
        real=programs.real_small(),
        others=[],
        patterns=(Case("peaks", ("20", "1"), "kept_bytes"),),
        times=few,
        start_up=few,
        memory=few,
        patterns_memory=few,
        pairs=few,
        pair_sizes=(64,),
        pairs_count=100_000,
        counted_pairs=2_000,
    )
