"""What Li, Mohanty and Kavi report, to stand beside what is measured."""

from collections.abc import Mapping
from dataclasses import dataclass

CHUNKS = 256
"""Of a page of 4096 bytes with objects of 16."""
TREE_GATES = 502
"""AND gates, and as many OR gates, of all eight sizes (section 3)."""
GATES = 20_000
"""Of the whole unit (section 4.1)."""
DELAYS = 16
"""Of a find (section 4.1)."""
MEMORY_LEVELS = 27
"""Of a tree over 2 GB in chunks of 16 bytes (section 4.1)."""
MEMORY_DELAYS = 108
MEMORY_GATES = "several hundred million"
BELS, PERIOD, PINS = 2214, 20.13, 21
"""On a Virtex II Pro (table 5)."""


@dataclass(frozen=True)
class Benchmark:
    """A line of tables 3 and 4, by the benchmark's name. Cycles are in millions."""

    input: str
    bytes: float
    """Of a request, in the mean."""
    share: float
    """Of the cycles, for memory management in software."""
    software: float
    hardware: float

    @property
    def speedup(self) -> float:
        return self.software / self.hardware

    @property
    def saved(self) -> float:
        """Of the cycles for memory management, as figure 3 has it, where all that is saved is theirs."""
        return (self.software - self.hardware) / (self.software * self.share)


BENCHMARKS: Mapping[str, Benchmark] = {
    "cfrac": Benchmark("22-digits number", 8, 0.297, 189.7, 148.1),
    "espresso": Benchmark("largest.espresso", 250, 0.047, 5241, 5129),
    "boxed-sim": Benchmark("-n 10 -s 1", 24, 0.024, 9043, 8922),
    "parser": Benchmark("ref.in (first 300 lines)", 16, 0.356, 27111, 21363),
    "perlbmk": Benchmark("perfect.pl b 2", 38, 0.107, 135.5, 127.3),
    "treeadd": Benchmark("20 1", 24, 0.482, 160.4, 112.4),
    "voronoi": Benchmark("20000 1", 40, 0.104, 128.8, 122.3),
    "bisort": Benchmark("250000 1", 24, 0.023, 424.1, 418.1),
    "perimeter": Benchmark("12 1", 48, 0.163, 42.11, 37.97),
    "health": Benchmark("5 500 1", 24, 0.049, 383.0, 372.2),
}
SAVED_MEAN = 0.589
"""Of the cycles for memory management, over the ten (section 4.2)."""
SAVED_BY_CFRAC, SAVED_BY_ESPRESSO = 0.762, 0.480
"""As the text gives figure 3."""
SPEEDUP_MEAN = 1.127
