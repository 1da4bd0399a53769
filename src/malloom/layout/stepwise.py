"""Groups by call site, where that tells them apart, and by its callers only where it does not.

A run then goes from the call to its callers one frame at a time, and only behind call sites that lead to more
than one group, as it does for pools; the walk of a whole chain for each request costs ten times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP, Groups
from malloom.profile import HeapProfile
from malloom.profile.requests import U32


def stepwise_contexts(profile: HeapProfile, groups: Groups) -> tuple[npt.NDArray[Any], int]:
    """Entries of a plan's table of contexts, each of as few frames as its requests' groups allow, with
    DEEPER_POOLS where contexts one frame deeper say; and the frames of the deepest."""
    chains, first = np.unique(profile.at_depth(groups.depth).context, return_index=True)
    wanted = groups.of_context[chains]
    undecided = np.ones(len(chains), dtype=np.bool_)
    found: dict[int, tuple[int, int]] = {}
    deepest = 1
    for depth in range(1, groups.depth + 1):
        level = profile.at_depth(depth)
        of_chain = level.context[first]
        least, most = _range(of_chain[undecided], wanted[undecided], len(level.hashes))
        for context in np.unique(of_chain[undecided]).tolist():
            is_told = least[context] == most[context]
            if is_told and least[context] == NO_GROUP:
                continue
            told = (int(least[context]), 0) if is_told else (NO_GROUP, DEEPER_POOLS)
            found.setdefault(int(level.hashes[context]), told)
            deepest = depth
        undecided &= (least != most)[of_chain]
    return _entries(found), deepest


def _range(context: U32, group: U32, contexts: int) -> tuple[U32, U32]:
    """The least and the greatest group of each context's chains."""
    least = np.full(contexts, NO_GROUP, dtype=np.uint32)
    most = np.zeros(contexts, dtype=np.uint32)
    np.minimum.at(least, context, group)
    np.maximum.at(most, context, group)
    return least, most


def _entries(found: dict[int, tuple[int, int]]) -> npt.NDArray[Any]:
    entries = np.zeros(len(found), dtype=formats.dtype("plan", "PlanContext"))
    entries["hash"] = np.fromiter(found, dtype=np.uint64, count=len(found))
    entries["group"] = [group for group, _ in found.values()]
    entries["pool_bytes"] = [pool for _, pool in found.values()]
    return entries
