"""The requests of a profile, made once more of a bin heap: what a layout of bins brings before it is used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.errors import CommandError
from malloom.profile.requests import NEVER, Requests

U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]

ORIGINAL = np.zeros(0, dtype=np.uint32)
"""Stands for dlmalloc's bins, which are compiled in."""

SPARE_BYTES = 2**24


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
    room = 8 * most_living_bytes + SPARE_BYTES
    alignments = requests.alignment.astype(np.uint32)
    try:
        held, steps, failures, is_whole = _native.replay_bins(
            requests.size, alignments, events_of(requests), begins, room, bounded
        )
    except MemoryError:
        raise CommandError(f"there are no {room} bytes of addresses to replay the requests in") from None
    if not is_whole:
        raise CommandError("the heap was damaged by the requests", remedy="report it with the profile")
    return Replay(held, steps, failures)


def events_of(requests: Requests) -> I64:
    """Requests by number, and frees by its complement, in order; at one ticket what goes comes first."""
    numbers = np.arange(len(requests), dtype=np.int64)
    freed = requests.death != np.uint64(NEVER)
    times = np.concatenate((requests.birth, requests.death[freed]))
    events: I64 = np.concatenate((numbers, ~numbers[freed]))
    return events[np.lexsort((events, times))]
