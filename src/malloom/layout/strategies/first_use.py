"""In the order in which the steady phase first uses the objects; see malloom.layout.steady_phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.layout.steady_phase import use_order
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class FirstUse:
    """See the module."""

    name = "first-use"
    summary = "in the order of first use once the program has built its objects"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        return pack(profile, self.name, use_order(profile))
