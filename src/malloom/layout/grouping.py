"""Groups of contexts that are used together, after HALO (Savage and Jones, CGO 2020).

Contexts join a group as long as that does not thin out the affinity inside it; what is hardly used stays
alone and with the fallback.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from malloom.layout.context_affinity import ContextEdges
from malloom.layout.layout import NO_GROUP
from malloom.profile.requests import U32

MERGE_TOLERANCE = 0.05
"""A context still joins when the group's affinity per pair falls by this share."""
COVERED = 0.99
"""Contexts with fewer accesses than the busiest ones that together have this share are left out."""
MOST_GROUPS = 64


def group_contexts(edges: ContextEdges, accesses: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> U32:
    """The group of every context, or NO_GROUP; groups are numbered from the heaviest."""
    weights: dict[tuple[int, int], float] = {}
    neighbours: dict[int, list[int]] = defaultdict(list)
    busy = _busy(accesses)
    for a, b, weight in zip(edges.a.tolist(), edges.b.tolist(), edges.weight.tolist(), strict=True):
        if a in busy and b in busy:
            weights[a, b] = weights[b, a] = float(weight)
            neighbours[a].append(b)
            neighbours[b].append(a)
    inside = edges.inside.astype(np.float64).tolist()
    group = np.full(len(inside), NO_GROUP, dtype=np.uint32)
    free = set(busy)
    for number in range(MOST_GROUPS):
        if not free:
            break
        seed = max(free, key=lambda context: (inside[context], float(accesses[context]), -context))
        members = _grown(seed, free, weights, neighbours, inside)
        group[members] = number
        free.difference_update(members)
    return group


def _busy(accesses: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> set[int]:
    order = np.argsort(~accesses, kind="stable")
    reached = np.cumsum(accesses[order].astype(np.float64))
    if not len(reached) or reached[-1] == 0:
        return set()
    count = int(np.searchsorted(reached, COVERED * reached[-1])) + 1
    return set(order[:count].tolist())


def _grown(
    seed: int,
    free: set[int],
    weights: dict[tuple[int, int], float],
    neighbours: dict[int, list[int]],
    inside: list[float],
) -> list[int]:
    """The seed and the free contexts that join it, the one with the most affinity first."""
    members = [seed]
    total = inside[seed]
    pull: dict[int, float] = defaultdict(float)
    newest = seed
    while True:
        for other in neighbours[newest]:
            if other in free and other not in members:
                pull[other] += weights[newest, other]
        if not pull:
            return members
        candidate = max(pull, key=lambda context: (pull[context], -context))
        joined = total + pull[candidate] + inside[candidate]
        apart = max(_density(total, len(members)), _density(inside[candidate], 1))
        if _density(joined, len(members) + 1) < apart * (1 - MERGE_TOLERANCE):
            return members
        members.append(candidate)
        total, newest = joined, candidate
        del pull[candidate]


def _density(weight: float, members: int) -> float:
    """Affinity per pair, each context being a pair with itself too."""
    return weight / (members * (members + 1) / 2)
