"""Contexts that are used together share chunks; their requests lie there one after the other.

After HALO (Savage and Jones, CGO 2020). What was learned are contexts, not single requests, so it carries
over to runs on other inputs. The offsets say where requests would fall with one chunk after the other, for
the simulation; the plan has groups only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.grouped import grouped_layout
from malloom.layout.grouping import LARGEST, deepest_of, group_contexts, shallowest_of
from malloom.layout.layout import NO_GROUP, Layout
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class ContextGroups:
    """See the module."""

    name = "context-groups"
    summary = "contexts that are used together in chunks of their own; fits other inputs too"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        deepest = deepest_of(profile.contexts.depth)
        refolded = profile.at_depth(deepest)
        count = len(refolded.hashes)
        requests = np.bincount(refolded.context, minlength=count)
        wanted = group_contexts(*profile.context_affinity(refolded.context, count), requests)
        depth, of_context = shallowest_of(profile, refolded.context, wanted, deepest)
        small = np.zeros(len(np.unique(wanted[wanted != NO_GROUP])), dtype=np.bool_)
        return grouped_layout(profile, self.name, of_context, depth, LARGEST, small)
