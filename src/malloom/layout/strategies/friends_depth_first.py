"""A walk over the friends that the program named, depth first (thesis, section 4.4).

The walk starts at the largest request and goes on from the next largest that has no place. Where the thesis
is silent, a choice is declared that fits its own table, under this strategy's name only: of equally large
requests the first comes first, and of one request's friends the newest is visited first. So traverse, whose
friends are built left-most and walked right-most, gets the time that table 5.1 has (0.71 of sequential
placement, the same as usage-depth-first); the oldest first would be sequential placement itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.graphs import friend_graph, largest_first
from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class FriendsDepthFirst:
    """See the module."""

    name = "friends-depth-first"
    summary = "along the friends that the program named, depth first from the largest request"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = friend_graph(profile, newest_first=True)
        order = _native.depth_first(graph.offsets, graph.targets, graph.weights, largest_first(profile))
        return pack(profile, self.name, order)
