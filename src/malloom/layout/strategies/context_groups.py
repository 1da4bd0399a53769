"""Contexts that are used together share chunks; their requests lie there one after the other.

After HALO (Savage and Jones, CGO 2020). What was learned are contexts, not single requests, so it carries
over to runs on other inputs. The offsets say where requests would fall with one chunk after the other, for
the simulation; the plan has groups only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.grouping import LARGEST, chunk_bytes, deepest_of, group_contexts, shallowest
from malloom.layout.layout import NO_GROUP, Groups, Layout
from malloom.layout.level import Level
from malloom.layout.live_bytes import peak_bytes_by_group
from malloom.layout.packing import pack_apart
from malloom.profile import HeapProfile
from malloom.profile.requests import U32

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
        rows, first = np.unique(refolded.context, return_index=True)
        levels = ((depth, profile.at_depth(depth)) for depth in range(1, deepest + 1))
        depth, of_context = shallowest(
            ((depth, Level(level.context[first], level.hashes)) for depth, level in levels),
            wanted[rows],
            requests[rows],
        )
        return self._layout(profile, of_context, depth)

    def _layout(self, profile: HeapProfile, of_context: U32, depth: int) -> Layout:
        group = of_context[profile.at_depth(depth).context]
        group[profile.requests.size > LARGEST] = NO_GROUP
        packed = pack_apart(profile, self.name, group, NO_GROUP)
        groups = int(of_context[of_context != NO_GROUP].astype(np.int64).max(initial=-1)) + 1
        expected = peak_bytes_by_group(profile, group, groups)
        maximum = np.full(groups, LARGEST, dtype=np.uint64)
        described = Groups(depth, of_context, chunk_bytes(expected), maximum, expected)
        return replace(packed, groups=described)
