"""Groups by call site, where that tells them apart, and by its callers only where it does not.

A run then goes from the call to its callers one frame at a time, and only behind call sites that lead to more
than one group, as it does for pools; the walk of a whole chain would cost each request hundreds of
instructions.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.layout.grouping import deepest_of
from malloom.layout.layout import DEEPER_POOLS, NO_GROUP, Groups
from malloom.profile import HeapProfile
from malloom.profile.requests import U32

if TYPE_CHECKING:
    from malloom.layout.plan_file import PlanFile


def stepwise_contexts(
    profile: HeapProfile, groups: Groups, leads: Collection[int] = ()
) -> tuple[npt.NDArray[Any], int]:
    """Entries of a plan's table of contexts, each of as few frames as its requests' groups allow, with
    DEEPER_POOLS where contexts one frame deeper say; and the frames of the deepest. Contexts whose hashes are
    among `leads` lead on in any case, as they do for another profile of the program."""
    most = max(groups.depth, deepest_of(profile.contexts.depth)) if leads else groups.depth
    chains, first = np.unique(profile.at_depth(most).context, return_index=True)
    wanted = groups.of_context[profile.at_depth(groups.depth).context[first]]
    undecided = np.ones(len(chains), dtype=np.bool_)
    found: dict[int, tuple[int, int]] = {}
    deepest = 1
    for depth in range(1, most + 1):
        level = profile.at_depth(depth)
        of_chain = level.context[first]
        one, other = _range(of_chain[undecided], wanted[undecided], len(level.hashes))
        leads_on = (one != other) | ((depth < most) & np.isin(level.hashes, np.array([*leads], np.uint64)))
        for context in np.unique(of_chain[undecided]).tolist():
            if not leads_on[context] and one[context] == NO_GROUP:
                continue
            told = (NO_GROUP, DEEPER_POOLS) if leads_on[context] else (int(one[context]), 0)
            found.setdefault(int(level.hashes[context]), told)
            deepest = depth
        undecided &= leads_on[of_chain]
    return _entries(found), deepest


def leads_of(plan: PlanFile) -> set[int]:
    """The contexts of a plan of groups that lead on; none of a plan whose contexts have one depth."""
    if not plan.header["flags"] & formats.load("plan").enums["PlanFlag"]["stepwise"]:
        return set()
    leading = plan.contexts[(plan.contexts["hash"] != 0) & (plan.contexts["pool_bytes"] == DEEPER_POOLS)]
    return set(leading["hash"].tolist())


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
