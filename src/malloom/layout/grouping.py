"""Groups of contexts that are used together, after HALO (Savage and Jones, CGO 2020, section 4.2).

A context joins a group as long as that does not thin out the affinity inside it. What is hardly used stays
with the fallback: the uses that building leaves on every object would bring all contexts together.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom.layout.layout import NO_GROUP
from malloom.profile import AffinityGraph
from malloom.profile.requests import I64, U32

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
