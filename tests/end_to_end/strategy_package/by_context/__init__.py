"""A strategy that malloom does not ship: each context's objects together, the busiest context first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class ByContext:
    """See the module."""

    name = "by-context"
    summary = "each context's objects together, the busiest context first"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        requests = profile.requests
        busy = np.zeros(len(profile.contexts), dtype=np.uint64)
        np.add.at(busy, requests.context, requests.accesses)
        order = np.lexsort((requests.context, ~busy[requests.context]))
        return pack(profile, self.name, order)
