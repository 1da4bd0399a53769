"""One pass over the accesses, made when first needed, for all that is asked of them.

That is how each request is used, the affinity graph, the steady phase, and a sample to simulate.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from malloom import _native
from malloom.profile.affinity import AffinityGraph
from malloom.profile.requests import U64, Usage

KEPT_ACCESSES = 8_000_000
"""Accesses that are kept in memory, 16 bytes each, so that simulating them costs no further pass."""
WINDOWS = 8
"""A sample is so many windows, spread evenly over the accesses."""
STRETCHES = 1024
"""The stream of accesses is cut into so many stretches to find the steady phase."""
RARITY = 256
"""In the steady phase at most one access in so many is the first to its object."""
LEAST_SHARE = 0.05
"""A steady phase shorter than this share of the stream is none: the program builds and uses all the time."""


class AccessOpener(Protocol):
    """Opens the accesses of a process from the start; see HeapProfile.accesses for `skip` and `take`."""

    def __call__(self, skip: int, take: int) -> _native.AccessSource: ...


def windows(entries: int, budget: int | None) -> tuple[int, int]:
    """`skip` and `take` (see HeapProfile.accesses) that leave about `budget` of the entries; both 0: all."""
    if budget is None or entries <= budget:
        return 0, 0
    take = max(budget // WINDOWS, 1)
    return max(entries // WINDOWS - take, 0), take


class Survey:
    """What the accesses tell, kept once known.

    Memory: 32 bytes a request, the graph, and 16 bytes for each of the accesses that are kept.
    """

    def __init__(self, opener: AccessOpener, requests: int, entries: int) -> None:
        self._opener = opener
        self._requests = requests
        self._entries = entries
        self._found: tuple[Usage, U64 | None, AffinityGraph, _native.KeptAccesses] | None = None

    def usage(self) -> Usage:
        """Accesses per request."""
        return self._surveyed()[0] if self._entries else Usage.none(self._requests)

    def steady_use(self) -> U64 | None:
        """Position at which the steady phase first uses each request, NEVER where it does not; None where
        there is no steady phase."""
        return self._surveyed()[1] if self._entries else None

    def affinity(self) -> AffinityGraph:
        """Which request's object is accessed right after which."""
        return self._surveyed()[2]

    def accesses(self, skip: int, take: int) -> _native.AccessSource:
        """As AccessOpener, from memory where the survey has kept them."""
        if self._found is not None and self._found[3].serves(skip, take):
            return self._found[3].open(skip, take)
        return self._opener(skip, take)

    def _surveyed(self) -> tuple[Usage, U64 | None, AffinityGraph, _native.KeptAccesses]:
        if self._found is None:
            steadiness = max(self._entries // STRETCHES, 1), RARITY, int(np.ceil(LEAST_SHARE * self._entries))
            usage, steady, graph, kept = _native.survey(
                self._opener(0, 0),
                self._requests,
                self._entries,
                steadiness,
                windows(self._entries, KEPT_ACCESSES),
            )
            used = steady if len(steady) else None
            self._found = Usage(*usage), used, AffinityGraph(*graph), kept
        return self._found
