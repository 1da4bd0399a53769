"""Lists of allocations and releases, and the file in which a program for the simulated core is given them.

`firmware/benchmarks/bins/replay_file.h` says the same of the file in C++.
"""

from dataclasses import astuple, dataclass, replace
from enum import IntEnum, IntFlag

import numpy as np

SLOT_SHIFT = 17
MOST_BYTES = (1 << SLOT_SHIFT) - 1
MOST_SLOTS = 1 << (32 - SLOT_SHIFT)
HEAD_BYTES, GRANULE, LEAST_CHUNK = 4, 8, 16
"""Of a chunk of the bin heap on a machine of 32 bits."""
MAGIC = int.from_bytes(b"MBOL", "little")
VERSION = 4


@dataclass(frozen=True, eq=False)
class OperationList:
    """Each operation puts a new object into a slot, or releases the one that is there."""

    slots: np.ndarray
    changes: np.ndarray
    """Bytes of the object that is allocated; less than 0 where it is released."""

    def __post_init__(self) -> None:
        if int(self.slots.max(initial=0)) >= MOST_SLOTS or int(abs(self.changes).max(initial=0)) > MOST_BYTES:
            raise ValueError(f"at most {MOST_SLOTS} slots and {MOST_BYTES} bytes have room in an operation")

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def pairs(self) -> int:
        return len(self) // 2

    @property
    def slot_count(self) -> int:
        return int(self.slots.max(initial=-1)) + 1

    @property
    def peak(self) -> int:
        """The most bytes that are asked for at one time."""
        return int(np.cumsum(self.changes).max(initial=0))

    @property
    def chunk_peak(self) -> int:
        """The same of the bin heap's chunks."""
        bytes_of = abs(self.changes) + HEAD_BYTES
        chunks = np.maximum((bytes_of + GRANULE - 1) // GRANULE * GRANULE, LEAST_CHUNK)
        return int(np.cumsum(np.sign(self.changes) * chunks).max(initial=0))

    def encoded(self) -> np.ndarray:
        """A word an operation: its slot above the bytes, which are 0 where it releases."""
        words = self.slots << SLOT_SHIFT | np.maximum(self.changes, 0)
        return np.asarray(words.astype("<u4"))


class Allocator(IntEnum):
    """Which heap is given the operations."""

    PAPER = 0
    """The paper's: bins scanned one by one, no check of what is freed."""
    SHIPPED = 1
    COMPILED_IN = 2
    """The shipped one with dlmalloc's bins compiled in, and nothing counted."""
    TLSF = 3
    O1HEAP = 4
    NEWLIB = 5
    PICOLIBC = 6
    QUICK = 7
    """The shipped one behind quick lists."""
    FIXED = 8
    """COMPILED_IN with one instance, whose address the calls know."""
    POINTED = 9
    """COMPILED_IN with dlmalloc's function through the instance."""
    PAPER_WALKED = 10
    """PAPER without counters."""
    PAPER_SAMPLED = 11
    """The same where one of so many objects that are given back is counted."""


class Function(IntEnum):
    """From a size to its bin."""

    COMPILED_IN = 0
    """The function that the ranges came with: dlmalloc's, or that of octaves."""
    BRANCHING = 1
    BRANCHLESS = 2
    BYTE_TABLE = 3
    GENERATED = 4


class Ranges(IntEnum):
    """Of the bins, before they are laid out anew."""

    ORIGINAL = 0
    OCTAVES = 1
    """Eight parts an octave."""
    GIVEN = 2
    """By the file, of `bin_calls` only; no function is compiled in for them."""


class Rehash(IntEnum):
    """malloom_bins_ranges: what becomes of the ranges."""

    AS_THEY_ARE = 0
    LINEAR = 1
    SMOOTH = 2
    BY_COST = 3
    BY_OCTAVE = 4


class Options(IntFlag):
    """Those of malloom_bins_settings that are measured."""

    NONE = 0
    BOUNDED = 1
    COUNT_INSERTIONS = 16
    COUNT_EXTRACTIONS = 32
    COUNT_STEPS = 64


class Walk(IntEnum):
    """What is counted when a rehash begins."""

    NONE = 0
    FREE_CHUNKS = 1
    ALL_CHUNKS = 2


class Shows(IntFlag):
    """What is printed beside the times."""

    NOTHING = 0
    BINS = 1
    """Begin and count of each bin, after each run."""
    STEPS = 2
    """Steps in lists of each run, which is done once more for them, without times."""


@dataclass(frozen=True)
class Replay:
    """What is done with a list of operations. The fields are the file's words, in their order."""

    heap_bytes: int
    allocator: Allocator = Allocator.SHIPPED
    ranges: Ranges = Ranges.ORIGINAL
    first_function: Function = Function.COMPILED_IN
    """Before the first rehash."""
    function: Function = Function.COMPILED_IN
    """After each rehash."""
    rehash: Rehash = Rehash.AS_THEY_ARE
    options: Options = Options.NONE
    most_steps: int = 0
    """0: the heap's own default."""
    bins: int = 127
    """Of OCTAVES; dlmalloc has 127."""
    runs: int = 1
    rehashes: int = 0
    """One after each of so many runs."""
    shows: Shows = Shows.NOTHING
    code_offset: int = 0
    """Bytes by which generated code lies further, to see what its place in the cache does."""
    automatic: bool = False
    """Calls of the heap lay out its bins, with the ranges of `rehash` and the function for after it."""
    quick_bytes: int = 0
    """Of requests that quick lists may serve, with QUICK."""
    quick_each: int = 0
    """Objects of a size that they keep."""
    rehash_bins: int = 0
    """After each rehash; 0: as many as at first."""
    one_in: int = 0
    """Of so many objects that are given back one is counted; 0: as the options say."""
    walk: Walk = Walk.NONE
    rehash_at: int = 0
    """Operations of the list that is learned from which are done before the rehash; 0: all."""
    worth_for: int = 0
    """Objects given back for which a rehash has to pay; 0: it need not."""


def to_file(replay: Replay, judged: OperationList, learned: OperationList | None = None) -> bytes:
    """The content of the data file. Where there is a list to learn from, what the judged one counts is
    forgotten before each rehash, and the other list is done and counted; times are of the judged one only."""
    other = learned.encoded() if learned is not None else np.empty(0, "<u4")
    slots = max(judged.slot_count, learned.slot_count if learned is not None else 0)
    done_first = replace(replay, rehash_at=replay.rehash_at or len(other))
    words = [MAGIC, VERSION, len(judged), len(other), slots, *map(int, astuple(done_first))]
    return np.asarray(words, "<u4").tobytes() + judged.encoded().tobytes() + other.tobytes()
