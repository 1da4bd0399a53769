"""The requests of a profile, made once more of a bin heap: what a layout of bins brings before it is used."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.errors import CommandError
from malloom.profile.requests import NEVER, Requests

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]

OWN_POINTER_BYTES = struct.calcsize("P")

ORIGINAL = np.zeros(0, dtype=np.uint32)
"""Stands for dlmalloc's bins, which are compiled in."""

SPARE_BYTES = 2**24
"""More than this always lies free behind all objects, in one chunk."""


@dataclass(frozen=True)
class Replay:
    """What a heap did with the requests. It is this machine's: chunks' sizes are those of its pointers."""

    most_held: int
    """Bytes from the begin of the memory to the end of the furthest object, at most."""
    steps: int
    """From one chunk of a list to the next."""
    failures: int
    """Requests that got nothing."""

    def of_living(self, most_living_bytes: int) -> float:
        """What was held, as a part of what lived."""
        return self.most_held / max(most_living_bytes, 1)

    def steps_of(self, requests: int) -> float:
        """Steps for each request, those of its free with them."""
        return self.steps / max(requests, 1)


def replay(requests: Requests, begins: U32, most_living_bytes: int, *, bounded: bool = False) -> Replay:
    """The requests in their order, of a heap with these bins and more memory than it should need."""
    held, steps, failures, _ = _replayed(requests, requests.size, begins, most_living_bytes, 0, bounded)
    return Replay(held, steps, failures)


def insertions(requests: Requests, begins: U32, most_living_bytes: int, pointer_bytes: int) -> U64:
    """How often a free chunk came into each bin, on a machine with such pointers. What is left of the memory
    behind all objects does not count.

    Where pointers are shorter than here requests are shortened by the difference, which gives the chunks of
    that machine, but for those of the smallest requests, which come out larger.
    """
    shorter = np.uint64(OWN_POINTER_BYTES - pointer_bytes)
    sizes = np.maximum(requests.size, shorter) - shorter
    below = begins[begins < SPARE_BYTES]
    counted = np.append(below, np.uint32(SPARE_BYTES))
    found = _replayed(requests, sizes, counted, most_living_bytes, 2 * pointer_bytes, bounded=False)[3]
    return np.concatenate((found[:-1], np.zeros(len(begins) - len(below), dtype=np.uint64)))


def _replayed(
    requests: Requests, sizes: U64, begins: U32, most_living_bytes: int, alignment: int, bounded: bool
) -> tuple[int, int, int, U64]:
    room = 8 * most_living_bytes + 2 * SPARE_BYTES
    alignments = requests.alignment.astype(np.uint32)
    try:
        held, steps, failures, is_whole, counted = _native.replay_bins(
            sizes, alignments, events_of(requests), begins, room, alignment, bounded
        )
    except MemoryError:
        raise CommandError(f"there are no {room} bytes of addresses to replay the requests in") from None
    if not is_whole:
        raise CommandError("the heap was damaged by the requests", remedy="report it with the profile")
    return held, steps, failures, counted


def events_of(requests: Requests) -> I64:
    """Requests by number, and frees by its complement, in order; at one ticket what goes comes first."""
    numbers = np.arange(len(requests), dtype=np.int64)
    freed = requests.death != np.uint64(NEVER)
    times = np.concatenate((requests.birth, requests.death[freed]))
    events: I64 = np.concatenate((numbers, ~numbers[freed]))
    return events[np.lexsort((events, times))]


def most_living_bytes(requests: Requests) -> int:
    """Bytes of all objects that live at the same time, at most."""
    times = np.concatenate((requests.birth, requests.death))
    changes = np.concatenate((requests.size.astype(np.int64), -requests.size.astype(np.int64)))
    # At one ticket what goes comes first: realloc's old object makes room for the new one.
    order = np.lexsort((changes, times))
    return int(np.cumsum(changes[order]).max(initial=0))
