"""Baseline: every context is known to the plan and no request has a place, so what is left is the cost of
matching."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import NO_PLACE, Layout
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class OverheadOnly:
    """See the module."""

    name = "overhead-only"
    summary = "baseline: nothing is placed, so only what matching costs is left"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        return Layout(self.name, np.full(len(profile.requests), NO_PLACE, dtype=np.int64), 0)
