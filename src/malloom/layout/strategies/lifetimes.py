"""Contexts whose objects live about as long share chunks, so that whole chunks come free at once.

What was learned are contexts, not single requests, so it carries over to runs on other inputs. The offsets
say where requests would fall with one chunk after the other, for the simulation; the plan has groups only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom.layout.grouped import grouped_layout
from malloom.layout.grouping import deepest_of, shallowest_of
from malloom.layout.layout import Layout
from malloom.layout.lifetimes import group_by_lifetime
from malloom.layout.packing import LARGEST_SLOT
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class Lifetimes:
    """See the module."""

    name = "lifetimes"
    summary = "contexts whose objects live about as long in chunks of their own; fits other inputs"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        deepest = deepest_of(profile.contexts.depth)
        refolded = profile.at_depth(deepest)
        wanted, small = group_by_lifetime(profile, refolded.context, len(refolded.hashes))
        depth, of_context = shallowest_of(profile, refolded.context, wanted, deepest)
        return grouped_layout(profile, self.name, of_context, depth, LARGEST_SLOT, small)
