"""The layout of contexts that are placed in groups, whatever it was that grouped them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from malloom.layout.grouping import chunk_bytes
from malloom.layout.layout import NO_GROUP, Groups, Layout
from malloom.layout.live_bytes import peak_bytes_by_group
from malloom.layout.packing import pack_apart
from malloom.profile import HeapProfile
from malloom.profile.requests import U32

IN_CHUNK = 8
"""Requests of a group have at most this part of its chunk, so that little of its end is left unused."""


def grouped_layout(
    profile: HeapProfile,
    name: str,
    of_context: U32,
    depth: int,
    largest: int,
    small_pages: npt.NDArray[np.bool_],
) -> Layout:
    """The groups of `of_context`, one entry for each context of profile.at_depth(depth), as a plan has them;
    and where requests would fall with one chunk after the other, for the simulation.

    `small_pages`: per group. `largest`: bytes; larger requests are in no group, nor are those above an
    eighth of their group's chunk.
    """
    # With fewer frames than groups were made with, some may have nothing left.
    used, numbered = np.unique(of_context[of_context != NO_GROUP], return_inverse=True)
    of_context = of_context.copy()
    of_context[of_context != NO_GROUP] = numbered
    groups, small_pages = len(used), small_pages[used]
    group = of_context[profile.at_depth(depth).context]
    group[profile.requests.size > largest] = NO_GROUP
    chunk = chunk_bytes(peak_bytes_by_group(profile, group, groups))
    maximum = np.minimum(chunk // np.uint64(IN_CHUNK), np.uint64(largest))
    grouped = np.flatnonzero(group != NO_GROUP)
    group[grouped[profile.requests.size[grouped] > maximum[group[grouped]]]] = NO_GROUP
    expected = peak_bytes_by_group(profile, group, groups)
    packed = pack_apart(profile, name, group, NO_GROUP)
    return replace(packed, groups=Groups(depth, of_context, chunk, maximum, expected, small_pages))
