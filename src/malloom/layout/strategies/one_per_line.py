"""In the order of the requests, each at the start of a cache line (thesis, section 4.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class OnePerLine:
    """See the module."""

    name = "one-per-line"
    summary = "in the order of the requests, each on a cache line of its own"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        order = np.arange(len(profile.requests))
        return pack(profile, self.name, order, lines="separate", line_bytes=geometry.line_bytes)
