"""Bins for the bin heap (include/malloom/bins.h) by the requests of a profile: where each bin begins, and the
function from a size to its bin.

The paper's heap counts what each bin does and lays the bins out anew while it runs (Lhuillier and Couroussé,
2.4 and 4.3). A profile has counted already, and each size apart: so the layout is ready before the program
begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.errors import UsageProblem
from malloom.layout.bin_replay import insertions, most_living_bytes
from malloom.profile.requests import Requests

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

MOST_BINS = 1023
DEFAULT_BINS = 127
LARGEST_CHUNK = 2**30
"""Bytes. Larger chunks all belong to the last bin."""
SMALL_SIZES = 512
"""As many sizes are counted each in a bin of its own."""
MOST_WANTED = 2**15


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
    """How often each bin would have been looked for."""
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
    """At most so many bins, laid out by the requests of which there is at least one.

    What counts is how often each size would be looked for: by a request, and by a chunk that becomes free,
    as a replay of the requests shows.
    """
    sizes, asked = np.unique(target.chunk_bytes(requests.size), return_counts=True)
    living = most_living_bytes(requests)
    end = min(max(4 * int(sizes[-1]), living), LARGEST_CHUNK) + target.granule
    fine = fine_begins(sizes, asked, target)
    fine = fine[fine < end]
    inserted = insertions(requests, fine, living, target.pointer_bytes)
    begins = _laid_out(fine, inserted + _in_bins(fine, sizes, asked), end, target, bins)
    counts = _in_bins(begins, fine, inserted) + _in_bins(begins, sizes, asked)
    return BinLayout(
        target, begins, _in_32_bits(counts), len(requests), len(sizes), int(requests.size.max()), living
    )


def fine_begins(sizes: U32, asked: npt.NDArray[np.int64], target: Target) -> U32:
    """As fine bins as a heap can have: one for each of the smaller sizes, eight to an octave of the larger
    ones, and between those bins for the single sizes that are asked for most."""
    small = np.arange(0, SMALL_SIZES * target.granule, target.granule)
    octaves = range((SMALL_SIZES * target.granule).bit_length() - 1, LARGEST_CHUNK.bit_length() - 1)
    large = [(8 + part) << (octave - 3) for octave in octaves for part in range(8)]
    is_large = sizes >= SMALL_SIZES * target.granule
    most = np.argsort(-asked[is_large], kind="stable")[: (MOST_BINS - 1 - len(small) - len(large)) // 2]
    single = sizes[is_large][most]
    return np.unique(np.concatenate((small, large, single, single + target.granule))).astype(np.uint32)


def _in_bins(begins: U32, sizes: U32, counts: npt.NDArray[Any]) -> U64:
    """The counts of sizes, added up for each bin."""
    found = np.zeros(len(begins), dtype=np.uint64)
    np.add.at(found, np.searchsorted(begins, sizes, side="right") - 1, counts.astype(np.uint64))
    return found


def _laid_out(fine: U32, looked_for: U64, end: int, target: Target, bins: int) -> U32:
    """The redistribution of the heap's own rehash, with as many bins as there may be: where single sizes
    have more than a bin's part each it comes to fewer than it is asked for."""
    counts = _in_32_bits(looked_for)
    wanted = [min(int(bins * more), MOST_WANTED) for more in (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
    found = [_native.lay_out_bins(fine, counts, end, target.granule, number) for number in wanted]
    return max((begins for begins in found if len(begins) <= bins), key=len)


def _in_32_bits(counts: U64) -> U32:
    """The counts, all of them halved until the largest fits; one that is there stays there."""
    shift = max(int(counts.max()).bit_length() - 32, 0)
    shifted: U32 = np.maximum(counts >> np.uint64(shift), counts > 0).astype(np.uint32)
    return shifted
