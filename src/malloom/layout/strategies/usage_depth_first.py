"""A walk over what is accessed after what, depth first (thesis, section 4.6), as friends-depth-first does
with friends.

Where the thesis is silent: the heaviest edge of a node is followed first, and of edges within a factor of two
the one whose target is used first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.graphs import largest_first, usage_graph
from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class UsageDepthFirst:
    """See the module."""

    name = "usage-depth-first"
    summary = "along what is accessed after what, depth first from the largest request"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = usage_graph(profile)
        order = _native.depth_first(graph.offsets, graph.targets, graph.weights, largest_first(profile))
        return pack(profile, self.name, order)
