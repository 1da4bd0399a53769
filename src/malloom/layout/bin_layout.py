"""Bins for the bin heap (include/malloom/bins.h) by the requests of a profile: where each bin begins, and the
function from a size to its bin.

The paper's heap counts what each bin does and lays the bins out anew while it runs (Lhuillier and Couroussé,
2.4 and 4.3). A profile has counted already, and each size apart: so the layout is ready before the program
begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.errors import UsageProblem
from malloom.profile.requests import Requests

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

MOST_BINS = 1024
DEFAULT_BINS = 127
LARGEST_CHUNK = 2**30
"""Bytes. Larger chunks all belong to the last bin."""


@dataclass(frozen=True)
class Target:
    """A machine, as far as the heap differs on it."""

    name: str
    pointer_bytes: int
    entry: int = 0
    """What is added to the address of a function's code to call it."""

    @property
    def granule(self) -> int:
        """Bytes. Chunks are multiples of it where malloom_bins_settings leaves the alignment open."""
        return 2 * self.pointer_bytes

    def chunk_bytes(self, sizes: U64) -> U32:
        """The chunk of each request: the object and a size, rounded up (runtime/heaps/bins/chunk.h)."""
        rounded = (np.minimum(sizes, LARGEST_CHUNK) + self.pointer_bytes + self.granule - 1) // self.granule
        least = 4 * self.pointer_bytes
        chunks: U32 = np.clip(rounded * self.granule, least, LARGEST_CHUNK).astype(np.uint32)
        return chunks


TARGETS = {
    target.name: target
    for target in (
        Target("riscv32", 4),
        Target("thumb2", 4, entry=1),
        Target("aarch64", 8),
        Target("riscv64", 8),
        Target("x86_64", 8),
    )
}
"""By name: the machines that functions are generated for."""


def target_named(name: str) -> Target:
    """The target; raises UsageProblem where there is none of that name."""
    if name not in TARGETS:
        raise UsageProblem(f"there is no target '{name}'", remedy=f"choose {' or '.join(TARGETS)}")
    return TARGETS[name]


@dataclass(frozen=True)
class BinLayout:
    """Bins, and what they were laid out by. Sizes are bytes."""

    target: Target
    begins: U32
    """Of each bin, ascending, the first 0."""
    counts: U32
    """How many requests each bin would have served."""
    requests: int
    sizes: int
    """How many different sizes of chunks there were."""
    largest: int
    """The largest request."""
    most_living_bytes: int
    """Of objects, as requested, at a time."""

    def code(self) -> bytes:
        """The bin function as machine code of the target; its end is to lie at a multiple of 4."""
        return _native.bin_code(self.begins, self.counts, self.target.name)


def lay_out(requests: Requests, target: Target, bins: int = DEFAULT_BINS) -> BinLayout:
    """At most so many bins, laid out by the requests of which there is at least one."""
    chunks, counts = np.unique(target.chunk_bytes(requests.size), return_counts=True)
    living = most_living_bytes(requests)
    begins = _laid_out(chunks, counts, max(4 * int(chunks[-1]), living), target, bins)
    served = np.zeros(len(begins), dtype=np.uint64)
    np.add.at(served, np.searchsorted(begins, chunks, side="right") - 1, counts.astype(np.uint64))
    return BinLayout(
        target, begins, _in_32_bits(served), len(requests), len(chunks), int(requests.size.max()), living
    )


def _laid_out(chunks: U32, counts: npt.NDArray[np.int64], end: int, target: Target, bins: int) -> U32:
    """The begins, of which the heap would come to the same had it a bin for each size of chunks."""
    begins = np.unique(np.concatenate(([0], chunks, chunks + target.granule))).astype(np.uint32)
    counted = np.zeros(len(begins), dtype=np.uint64)
    counted[np.searchsorted(begins, chunks)] = counts
    last = int(begins[-1]) + target.granule
    return _native.lay_out_bins(
        begins, _in_32_bits(counted), min(max(end, last), 2 * LARGEST_CHUNK - 1), target.granule, bins
    )


def _in_32_bits(counts: U64) -> U32:
    """The counts, all of them halved until the largest fits; one that is there stays there."""
    shift = max(int(counts.max()).bit_length() - 32, 0)
    shifted: U32 = np.maximum(counts >> np.uint64(shift), counts > 0).astype(np.uint32)
    return shifted


def most_living_bytes(requests: Requests) -> int:
    """Bytes of all objects that live at the same time, at most."""
    times = np.concatenate((requests.birth, requests.death))
    changes = np.concatenate((requests.size.astype(np.int64), -requests.size.astype(np.int64)))
    # At one ticket what goes comes first: realloc's old object makes room for the new one.
    order = np.lexsort((changes, times))
    return int(np.cumsum(changes[order]).max(initial=0))
