"""How much the suite does: the paper's programs at the sizes asked for, or a little of everything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malloom.bench.malloc_free import SIZES
from malloom.bench.ten_programs import BESIDE_THE_TEN, PROGRAMS
from malloom.measure.interleaved import Budget

DEFAULT_SIZES = {program: ("0.5x", "2x") for program in (*PROGRAMS, *BESIDE_THE_TEN)} | {
    "ft": ("0.5x", "2x", "8x")
}
"""All programs at the size that `carried` was learned at, and at one that it was not; ft also at the largest,
which a goal names."""
QUICK_LAST_LEVEL = 1 << 20


@dataclass(frozen=True)
class DynamicScale:
    """Sizes of the heaps by program, and budgets. None was chosen by its result."""

    sizes: Mapping[str, Sequence[str]]
    last_level: int
    counted: Sequence[str]
    """Programs whose misses are counted, and at which size of the simulated machine's last level."""
    counted_size: str
    times: Budget
    optimize_seconds: float | None
    """None: as long as `malloom optimize` takes by itself."""
    other_sizes: Budget
    """For a race at each of the sizes that what is kept is tried at."""
    few_requests: Budget
    """For the programs that allocate little, whose limit is near 1."""
    document_megabytes: int
    other_requests: int
    """Of the program that does other things than its plan was learned on."""
    malloc_free: Budget
    object_sizes: Sequence[int]
    objects: int
    """That are made and freed in a run."""
    memory: Budget
    memory_bytes: int


def full_scale(
    programs: Sequence[str], sizes: Sequence[str], last_level: int, seconds: float
) -> DynamicScale:
    """`seconds` are of the timed runs of one program at one size; slow ones have as many rounds as an
    interval needs."""
    return DynamicScale(
        sizes={name: tuple(sizes) if sizes else DEFAULT_SIZES[name] for name in programs},
        last_level=last_level,
        counted=tuple(programs),
        counted_size="8x",
        times=Budget(most=60, seconds=seconds),
        optimize_seconds=None,
        other_sizes=Budget(fewest=12, most=40, seconds=min(seconds, 90.0)),
        few_requests=Budget(fewest=10, most=60, seconds=60.0),
        document_megabytes=20,
        other_requests=10_000_000,
        malloc_free=Budget(most=30, seconds=10.0),
        object_sizes=SIZES,
        objects=20_000_000,
        memory=Budget(most=6),
        memory_bytes=256 << 20,
    )


def quick_scale(programs: Sequence[str], sizes: Sequence[str], last_level: int) -> DynamicScale:
    """Everything once, small: for the tests. Its numbers decide nothing."""
    few = Budget(fewest=2, most=2)
    return DynamicScale(
        sizes={name: tuple(sizes or ("0.5x",)) for name in programs},
        last_level=last_level,
        counted=tuple(programs[:1]),
        counted_size="0.5x",
        times=few,
        optimize_seconds=0.0,
        other_sizes=few,
        few_requests=few,
        document_megabytes=1,
        other_requests=100_000,
        malloc_free=few,
        object_sizes=SIZES[:1],
        objects=100_000,
        memory=few,
        memory_bytes=16 << 20,
    )
