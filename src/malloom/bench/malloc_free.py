"""A malloc and a free one after the other, over and over: the workloads `pairs`, which calls malloc, and
`pool_pairs`, which calls the pool heap directly, as a compiler does that knows the pool of each call."""

from dataclasses import dataclass

from malloom.bench.cases import Case

PATTERNS = ("now", "lifo", "fifo", "random")
"""Each object is freed at once; or many are made first, and freed from the last, from the first, or at
random."""
SIZES = (16, 32, 64, 128, 256)
TIME = "pair_time"
"""What the workloads call the time of one malloc and its free."""
POOL_HEAP = "pool heap"
"""The heap called directly."""
THROUGH_MALLOC, DIRECTLY = "pairs", "pool_pairs"


@dataclass(frozen=True)
class Work:
    """A pattern, with so many objects of a size."""

    pattern: str
    bytes: int
    objects: int

    def case(self, threads: int = 1, workload: str = THROUGH_MALLOC) -> Case:
        numbers = (str(self.bytes), str(self.objects), str(threads))
        return Case(workload, (self.pattern, *numbers), TIME, f"{self.pattern} {self.bytes} bytes")
