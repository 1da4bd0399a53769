"""Groups of contexts that are used together, after HALO (Savage and Jones, CGO 2020, section 4.2).

A context joins a group as long as that does not thin out the affinity inside it. What is hardly used stays
with the fallback: the uses that building leaves on every object would bring all contexts together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom.layout.layout import NO_GROUP
from malloom.layout.level import Level
from malloom.profile import AffinityGraph, HeapProfile
from malloom.profile.requests import I64, U32, U64

F64 = npt.NDArray[np.float64]

MERGE_TOLERANCE = 0.05
"""A context still joins when the group's score falls by this share."""
COVERED = 0.99
"""Contexts with fewer uses than the busiest ones that together have this share are left out."""
LEAST_USES = 4
"""A request is worth a place in a group if its object is used so often: the place costs it something, and
objects that are made, looked at once and released gain nothing."""
LEAST_SHARE = 0.01
"""A group has at least this share of all affinity."""
MOST_GROUPS = 64
LARGEST = 4096
"""Bytes: larger requests have no use for neighbours."""
SMALLEST_CHUNK = 64 << 10
LARGEST_CHUNK = 1 << 20
MOST_DEPTH = 4
"""Frames: enough to see through the usual wrappers of malloc."""
MISPLACED = 0.02
"""Share of the grouped requests that may be in another group, or none, for the sake of fewer frames: every
frame costs each request."""


@dataclass(frozen=True)
class Affinity:
    """How often objects of two busy contexts, or of one, are used together."""

    between: dict[int, dict[int, float]]
    inside: dict[int, float]

    def score(self, weight: float, members: list[int]) -> float:
        """Weight per pair of members; a member is a pair with itself where its objects are used together."""
        pairs = len(members) * (len(members) - 1) // 2 + sum(self.inside[each] > 0 for each in members)
        return weight / max(pairs, 1)


def group_contexts(graph: AffinityGraph, uses: F64, requests: I64) -> U32:
    """The group of every context, or NO_GROUP.

    `graph` and `uses` are those of HeapProfile.context_affinity, `requests` how many each context made.
    """
    free = _busy(uses, requests)
    affinity = _affinity(graph, free)
    least = LEAST_SHARE * _total(affinity)
    group = np.full(graph.nodes, NO_GROUP, dtype=np.uint32)
    number = 0
    while free and number < MOST_GROUPS:
        seed = max(free, key=lambda context: (_strongest(affinity, context), float(uses[context]), -context))
        members, weight = _grown(seed, free, affinity)
        free.difference_update(members)
        if weight > least:
            group[members] = number
            number += 1
    return group


def _busy(uses: F64, requests: I64) -> set[int]:
    order = np.argsort(-uses, kind="stable")
    reached = np.cumsum(uses[order])
    if not len(reached) or reached[-1] == 0:
        return set()
    order = order[: int(np.searchsorted(reached, COVERED * reached[-1])) + 1]
    return set(order[uses[order] >= LEAST_USES * requests[order]].tolist())


def _affinity(graph: AffinityGraph, busy: set[int]) -> Affinity:
    between: dict[int, dict[int, float]] = {}
    inside: dict[int, float] = {}
    for context in busy:
        row = slice(int(graph.offsets[context]), int(graph.offsets[context + 1]))
        edges = dict(zip(graph.targets[row].tolist(), graph.weights[row].tolist(), strict=True))
        inside[context] = float(edges.pop(context, 0))
        between[context] = {other: float(weight) for other, weight in edges.items() if other in busy}
    return Affinity(between, inside)


def _total(affinity: Affinity) -> float:
    ends = sum(sum(edges.values()) for edges in affinity.between.values())
    return sum(affinity.inside.values()) + ends / 2


def _strongest(affinity: Affinity, context: int) -> float:
    return max(affinity.inside[context], *affinity.between[context].values(), 0.0)


def _grown(seed: int, free: set[int], affinity: Affinity) -> tuple[list[int], float]:
    """The seed and the free contexts that join it, the one with the most to gain first; and their weight."""
    members, weight = [seed], affinity.inside[seed]
    pull: dict[int, float] = defaultdict(float)
    while True:
        for other, edge in affinity.between[members[-1]].items():
            if other in free and other not in members:
                pull[other] += edge
        gains = {other: _gain(other, members, weight, pull[other], affinity) for other in pull}
        best = max(gains, key=lambda other: (gains[other], -other), default=None)
        if best is None or gains[best] < 0:
            return members, weight
        weight += pull.pop(best) + affinity.inside[best]
        members.append(best)


def _gain(other: int, members: list[int], weight: float, pull: float, affinity: Affinity) -> float:
    """How much better a group is with another context than the better of both alone."""
    inside = affinity.inside[other]
    joined = affinity.score(weight + pull + inside, [*members, other])
    apart = max(affinity.score(weight, members), affinity.score(inside, [other]))
    return joined - (1 - MERGE_TOLERANCE) * apart


def deepest_of(frames: int) -> int:
    """Frames of the contexts that are grouped, of those that were recorded."""
    return min(MOST_DEPTH, max(frames, 1))


def shallowest_of(profile: HeapProfile, context: U32, wanted: U32, deepest: int) -> tuple[int, U32]:
    """The fewest frames that tell the groups apart, and the group of every context of so many frames.

    `context` is that of each request with `deepest` frames, `wanted` the group of each of these contexts.
    """
    rows, first, requests = np.unique(context, return_index=True, return_counts=True)
    levels = ((depth, profile.at_depth(depth)) for depth in range(1, deepest + 1))
    rowed = ((depth, Level(level.context[first], level.hashes)) for depth, level in levels)
    return shallowest(rowed, wanted[rows], requests)


def shallowest(levels: Iterable[tuple[int, Level]], wanted: U32, requests: I64) -> tuple[int, U32]:
    """The fewest frames that tell the groups of the rows apart, and the group of every context then.

    `levels` come with their depths, the shallowest first. Of each row there is the group that is wanted, and
    how many requests it stands for.
    """
    allowed = MISPLACED * requests[wanted != NO_GROUP].sum()
    found = 0, wanted
    for depth, level in levels:
        of_context = _most_frequent(level.of_row, wanted, requests, len(level.hashes))
        found = depth, of_context
        if requests[of_context[level.of_row] != wanted].sum() <= allowed:
            break
    return found


def _most_frequent(context: U32, group: U32, requests: I64, contexts: int) -> U32:
    """The group that most of each context's requests want. Without requests there are no contexts."""
    if not len(group):
        return group
    wanted, index = np.unique(group, return_inverse=True)
    place = context * np.int64(len(wanted)) + index
    count = np.bincount(place, weights=requests, minlength=contexts * len(wanted))
    most: U32 = wanted[count.reshape(contexts, len(wanted)).argmax(axis=1)]
    return most


def chunk_bytes(expected: U64) -> U64:
    """About an eighth of what the group is expected to hold, so that little is left unused."""
    wanted = np.clip(expected // np.uint64(8), SMALLEST_CHUNK, LARGEST_CHUNK)
    chunk: U64 = (2 ** np.ceil(np.log2(wanted.astype(np.float64)))).astype(np.uint64)
    return chunk
