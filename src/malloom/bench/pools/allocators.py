"""Pools and the allocators that they are held against, all with huge pages or all without."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malloom.bench.dynamic.ways import POOLS
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interleaved import Rounds

HUGE = "huge"
BEST = "best"
GENERAL = (variants.GLIBC, "mimalloc")
KERNEL = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@dataclass(frozen=True)
class HugePages:
    """Whether all have them. What runs with them has `huge` behind its name."""

    wanted: bool

    def named(self, name: str) -> str:
        return f"{name} {HUGE}" if self.wanted else name

    @property
    def general(self) -> tuple[str, ...]:
        return tuple(self.named(name) for name in GENERAL)

    @property
    def pools(self) -> str:
        return self.named(POOLS)

    def environments(self, kernel: Path = KERNEL) -> Mapping[str, Mapping[str, str]]:
        """Raises CommandError where the kernel gives huge pages to all or to none, whatever they ask for."""
        chosen = _chosen(kernel)
        if chosen not in (("madvise", "always") if self.wanted else ("madvise", "never")):
            raise CommandError(
                f"{kernel} is '{chosen}', so huge pages cannot be {'on' if self.wanted else 'off'} for all",
                remedy="write madvise into it",
            )
        large = {"MIMALLOC_LARGE_OS_PAGES": str(int(self.wanted))}
        # Pools have mimalloc for what they do not serve.
        option = "--huge-pages" if self.wanted else "--no-huge-pages"
        return {
            self.named(variants.GLIBC): {"GLIBC_TUNABLES": f"glibc.malloc.hugetlb={int(self.wanted)}"},
            self.named("mimalloc"): {**variants.peer("mimalloc"), **large},
            self.pools: {**variants.pooled(option), **large},
        }


def _chosen(kernel: Path) -> str:
    """The word in brackets; `never` where the kernel has no huge pages."""
    try:
        return kernel.read_text(encoding="ascii").partition("[")[2].partition("]")[0]
    except FileNotFoundError:
        return "never"


def best_of(rounds: Rounds, names: tuple[str, ...], metric: str = "cpu_time") -> str:
    """The one with the smallest median of those that were measured. Raises CommandError where none was."""
    there = [name for name in names if rounds.runs.get(name)]
    if not there:
        raise CommandError(f"none of {', '.join(names)} was measured")
    return min(there, key=lambda name: float(np.median(rounds.values(name, metric))))
