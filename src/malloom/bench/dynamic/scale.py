"""How much the suite does: the paper's programs at the sizes asked for, or a little of everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.dynamic.pairs import SIZES
from malloom.bench.dynamic.paper import PROGRAMS
from malloom.cache.geometry import last_level_bytes
from malloom.measure.interleaved import Budget

DEFAULT_SIZES = {program: ("0.5x",) for program in PROGRAMS} | {"ft": ("0.5x", "2x", "8x")}
"""All programs at the smallest size, and ft at the larger ones, which the goals name."""
QUICK_LAST_LEVEL = 1 << 20


@dataclass(frozen=True)
class Scale:
    """Sizes of the heaps by program, and budgets. None was chosen by its result."""

    sizes: dict[str, tuple[str, ...]]
    last_level: int
    counted: tuple[str, ...]
    """Programs whose misses are counted, and at which size of the simulated machine's last level."""
    counted_size: str
    times: Budget
    choice: Budget
    """For the verdict on a plan before it is carried."""
    optimize_seconds: float
    quiet: Budget
    """For the programs that allocate little, whose limit is near 1."""
    document_megabytes: int
    pairs: Budget
    pair_sizes: tuple[int, ...]
    pairs_count: int
    """Pairs of malloc and free in a run."""
    ebb: Budget
    ebb_bytes: int


def full_scale(
    programs: Sequence[str] = PROGRAMS,
    sizes: Sequence[str] | None = None,
    last_level: int | None = None,
    seconds: float = 120.0,
) -> Scale:
    """`seconds` are of the timed runs of one program at one size; slow ones have three rounds."""
    return Scale(
        sizes={name: tuple(sizes) if sizes else DEFAULT_SIZES[name] for name in programs},
        last_level=last_level or last_level_bytes(),
        counted=tuple(programs),
        counted_size="8x",
        times=Budget(fewest=3, most=60, seconds=seconds),
        choice=Budget(fewest=6, most=20, seconds=30.0),
        optimize_seconds=20.0,
        quiet=Budget(fewest=10, most=60, seconds=60.0),
        document_megabytes=20,
        pairs=Budget(fewest=6, most=30, seconds=10.0),
        pair_sizes=SIZES,
        pairs_count=20_000_000,
        ebb=Budget(fewest=6, most=6),
        ebb_bytes=256 << 20,
    )


def quick_scale(
    programs: Sequence[str] = PROGRAMS, sizes: Sequence[str] | None = None, last_level: int | None = None
) -> Scale:
    """Everything once, small: for the tests. Its numbers decide nothing."""
    few = Budget(fewest=2, most=2)
    return Scale(
        sizes={name: tuple(sizes or ("0.5x",)) for name in programs},
        last_level=last_level or QUICK_LAST_LEVEL,
        counted=tuple(programs[:1]),
        counted_size="0.5x",
        times=few,
        choice=few,
        optimize_seconds=0.0,
        quiet=few,
        document_megabytes=1,
        pairs=few,
        pair_sizes=SIZES[:1],
        pairs_count=100_000,
        ebb=few,
        ebb_bytes=16 << 20,
    )
