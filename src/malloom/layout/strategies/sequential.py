"""In the order of the requests (thesis, section 4.1: Simple). Unlike there, freed slots are reused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class Sequential:
    """See the module."""

    name = "sequential"
    summary = "in the order of the requests"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        return pack(profile, self.name, np.arange(len(profile.requests)))
