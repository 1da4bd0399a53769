"""Shuffled (thesis, section 4.2): what placement that knows nothing is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class Random:
    """The same seed gives the same layout."""

    name = "random"
    summary = "baseline: shuffled, so placement that knows nothing"

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        return pack(profile, self.name, np.random.default_rng(self.seed).permutation(len(profile.requests)))
