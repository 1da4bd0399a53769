"""Smallest requests first, equal ones in time order (thesis, section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class BySize:
    """See the module."""

    name = "size"
    summary = "smallest requests first"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        return pack(profile, self.name, np.argsort(profile.requests.size, kind="stable"))
