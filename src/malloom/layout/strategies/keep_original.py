"""Baseline: every object where it lay when it was recorded, so that only the allocator's own work changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import GRANULE, NO_PLACE, Layout
from malloom.layout.packing import LARGEST_SLOT
from malloom.layout.room import granules
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, U64

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry

REGION_SHIFT = 21
"""log2 bytes: address space without any object is left out in pieces of 2 MiB, the size of a huge page."""


class KeepOriginal:
    """Objects that did not lie on granules of 16 bytes, or are too large for a slot, have no place."""

    name = "keep-original"
    summary = "baseline: every object where it lay when it was recorded"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        requests = profile.requests
        keeps = (requests.address % np.uint64(GRANULE) == 0) & (requests.size <= np.uint64(LARGEST_SLOT))
        room = granules(profile).astype(np.int64) * GRANULE
        offset = np.full(len(requests), NO_PLACE, dtype=np.int64)
        offset[keeps] = _without_gaps(requests.address[keeps], room[keeps])
        arena = int((offset + room)[keeps].max(initial=0))
        return Layout(self.name, offset, arena)


def _without_gaps(address: U64, room: I64) -> I64:
    """Addresses with the untouched regions taken out and the first object's region made the arena's start."""
    first = (address >> np.uint64(REGION_SHIFT)).astype(np.int64)
    last = (address.astype(np.int64) + room - 1) >> REGION_SHIFT
    regions = np.unique(np.concatenate([np.unique(first), np.unique(last)]))
    inside = address.astype(np.int64) & ((1 << REGION_SHIFT) - 1)
    offset: I64 = (np.searchsorted(regions, first) << REGION_SHIFT) + inside
    return offset - (int(offset.min(initial=1 << 62)) if len(offset) else 0)
