"""All that named the same friend together, but not the friend itself (thesis, section 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.graphs import friend_graph, in_time_order
from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class FriendsGrouped:
    """See the module."""

    name = "friends-grouped"
    summary = "requests that named the same friend together"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = friend_graph(profile)
        order = _native.grouped(graph.offsets, graph.targets, graph.weights, in_time_order(profile))
        return pack(profile, self.name, order)
