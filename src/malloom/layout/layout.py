"""What a strategy makes: a place for every request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom.profile.requests import I64, U32, U64

NO_PLACE = -1
GRANULE = 16
"""Bytes: slots begin and end on granules."""
NO_GROUP = 2**32 - 1
DEEPER_POOLS = 2**32 - 1
"""In place of a pool's bytes: contexts one frame deeper say."""


@dataclass(frozen=True)
class Groups:
    """Contexts whose requests are placed one after the other in chunks of the group's own."""

    depth: int
    """Frames of the call chain that make a context here."""
    of_context: U32
    """Group of every context of HeapProfile.at_depth(depth), or NO_GROUP."""
    chunk_bytes: U64
    """Per group: size of a chunk, a power of two."""
    maximum_bytes: U64
    """Per group: larger requests go to the fallback."""
    expected_bytes: U64
    """Per group: live bytes at its peak."""
    small_pages: npt.NDArray[np.bool_]
    """Per group: whether it stays in small pages where others have huge ones."""


@dataclass(frozen=True)
class Pools:
    """Contexts whose requests of one size have a pool of their own."""

    depth: int
    """Frames of the deepest context."""
    hashes: U64
    """Per context, of whatever depth: its stable hash."""
    bytes: U32
    """Per context: size of its pool's requests, or DEEPER_POOLS."""


@dataclass(frozen=True)
class Layout:
    """Where a strategy wants every request of a profile.

    Where `groups` or `pools` is there, the plan carries these and no slots; the offsets then say where the
    requests are expected to fall, for the simulation.
    """

    strategy: str
    offset: I64
    """Per request: bytes from the arena's start, a multiple of 16; NO_PLACE: the fallback serves it."""
    arena_bytes: int
    """Address space that the places span; a multiple of 16."""
    groups: Groups | None = None
    pools: Pools | None = None

    @property
    def has_slots(self) -> bool:
        """Whether the plan says where each request goes."""
        return self.groups is None and self.pools is None

    @property
    def planned(self) -> int:
        """Requests that have a place."""
        return int((self.offset >= 0).sum())
