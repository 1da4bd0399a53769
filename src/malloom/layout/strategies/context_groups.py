"""Contexts that are used together share chunks; their requests lie there one after the other.

After HALO (Savage and Jones, CGO 2020). What was learned are contexts, not single requests, so it carries
over to runs on other inputs. The offsets say where requests would fall with one chunk after the other, for
the simulation; the plan has groups only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from malloom.layout.grouping import group_contexts
from malloom.layout.layout import NO_GROUP, NO_PLACE, Groups, Layout
from malloom.layout.live_bytes import peak_bytes_by_group
from malloom.layout.packing import pack
from malloom.profile import HeapProfile
from malloom.profile.requests import U32, U64

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry

LARGEST = 4096
"""Bytes: larger requests have no use for neighbours."""
SMALLEST_CHUNK = 64 << 10
LARGEST_CHUNK = 1 << 20
MOST_DEPTH = 4
"""Frames: enough to see through the usual wrappers of malloc."""
MISPLACED = 0.02
"""Share of the grouped requests that may be in another group, or none, for the sake of fewer frames: every
frame costs each request."""


class ContextGroups:
    """See the module."""

    name = "context-groups"
    summary = "contexts that are used together in chunks of their own; fits other inputs too"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        deepest = min(MOST_DEPTH, max(profile.contexts.depth, 1))
        refolded = profile.at_depth(deepest)
        count = len(refolded.hashes)
        requests = np.bincount(refolded.context, minlength=count)
        wanted = group_contexts(*profile.context_affinity(refolded.context, count), requests)
        depth, of_context = _shallowest(profile, wanted[refolded.context], deepest)
        return self._layout(profile, of_context, depth)

    def _layout(self, profile: HeapProfile, of_context: U32, depth: int) -> Layout:
        group = of_context[profile.at_depth(depth).context]
        group[profile.requests.size > LARGEST] = NO_GROUP
        packed = pack(profile, self.name, np.argsort(group, kind="stable"))
        offset = np.where(group == NO_GROUP, NO_PLACE, packed.offset)
        groups = int(of_context[of_context != NO_GROUP].astype(np.int64).max(initial=-1)) + 1
        expected = peak_bytes_by_group(profile, group, groups)
        maximum = np.full(groups, LARGEST, dtype=np.uint64)
        described = Groups(depth, of_context, _chunk_bytes(expected), maximum, expected)
        return Layout(self.name, offset, packed.arena_bytes, described)


def _shallowest(profile: HeapProfile, wanted: U32, deepest: int) -> tuple[int, U32]:
    """The fewest frames that tell the requests' groups apart, and the group of every context then."""
    allowed = MISPLACED * np.count_nonzero(wanted != NO_GROUP)
    for depth in range(1, deepest + 1):
        context, hashes, _ = profile.at_depth(depth)
        of_context = _most_frequent(context, wanted, len(hashes))
        if depth == deepest or np.count_nonzero(of_context[context] != wanted) <= allowed:
            break
    return depth, of_context


def _most_frequent(context: U32, group: U32, contexts: int) -> U32:
    """The group that most of each context's requests want. Without requests there are no contexts."""
    if not len(group):
        return group
    wanted, index = np.unique(group, return_inverse=True)
    count = np.bincount(context * np.int64(len(wanted)) + index, minlength=contexts * len(wanted))
    most: U32 = wanted[count.reshape(contexts, len(wanted)).argmax(axis=1)]
    return most


def _chunk_bytes(expected: U64) -> U64:
    """About an eighth of what the group is expected to hold, so that little is left unused."""
    wanted = np.clip(expected // np.uint64(8), SMALLEST_CHUNK, LARGEST_CHUNK)
    chunk: U64 = (2 ** np.ceil(np.log2(wanted.astype(np.float64)))).astype(np.uint64)
    return chunk
