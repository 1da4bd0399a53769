"""Subtrees on one page, and within it on one line, so that a way from the root to a leaf touches few of
either.

After Chilimbi, Hill and Larus (PLDI 1999). The tree is not the program's own, which a profile does not show,
but that of use: a request hangs below the one after which it was accessed most often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.layout import GRANULE, Layout
from malloom.layout.packing import pack
from malloom.layout.room import granules
from malloom.layout.steady_phase import use_rank
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry

PAGE = 4096


class Subtree:
    """See the module."""

    name = "subtree"
    summary = "subtrees of use packed into pages and lines, for searches in trees"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = profile.affinity()
        rank = use_rank(profile)
        parent = _native.usage_tree(graph.offsets, graph.targets, graph.weights, rank)
        order = _native.subtree_clusters(
            parent, rank, granules(profile), PAGE // GRANULE, geometry.line_bytes // GRANULE
        )
        return pack(profile, self.name, order)
