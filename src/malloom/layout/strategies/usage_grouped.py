"""All that is accessed right after the same request together, but not that request (thesis, section 4.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.graphs import in_time_order, usage_graph
from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class UsageGrouped:
    """See the module."""

    name = "usage-grouped"
    summary = "requests that are accessed after the same request together"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = usage_graph(profile)
        order = _native.grouped(graph.offsets, graph.targets, graph.weights, in_time_order(profile))
        return pack(profile, self.name, order)
