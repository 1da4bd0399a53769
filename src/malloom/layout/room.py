"""How much room requests take."""

from __future__ import annotations

import numpy as np

from malloom.layout.layout import GRANULE
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, U32


def granules(profile: HeapProfile) -> U32:
    """Room that each request needs, in granules of 16 bytes."""
    needed: U32 = np.maximum((profile.requests.size + np.uint64(15)) // np.uint64(16), 1).astype(np.uint32)
    return needed


def room_bytes(profile: HeapProfile) -> I64:
    """The same in bytes."""
    return granules(profile).astype(np.int64) * GRANULE


def chunk_bytes(profile: HeapProfile) -> I64:
    """What the C library's chunk for each request takes: 8 bytes more, in whole granules, at least 32."""
    size = profile.requests.size.astype(np.int64)
    chunk: I64 = np.maximum((size + 8 + GRANULE - 1) // GRANULE * GRANULE, 32)
    return chunk
