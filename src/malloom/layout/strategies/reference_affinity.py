"""Reference affinity: objects that are used one after the other lie one after the other, at every scale.

After Zhong, Orlovich, Shen and Ding (PLDI 2004), whose affinity groups form a hierarchy, built here bottom up
by joining chains along the heaviest edges. Unlike there, closeness in time is known for immediate successors
only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.layout.steady_phase import use_rank
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry

LEVELS = 20
"""Each level about halves the number of chains; what is left then follows in the order of use."""


class ReferenceAffinity:
    """See the module."""

    name = "reference-affinity"
    summary = "chains along the heaviest affinities, joined into larger and larger groups"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = profile.affinity()
        order = _native.affinity_chains(
            graph.offsets, graph.targets, graph.weights, use_rank(profile), LEVELS
        )
        return pack(profile, self.name, order)
