"""Graphs and orders of requests that several strategies start from."""

from __future__ import annotations

import numpy as np

from malloom import _native
from malloom.layout.derived import derived
from malloom.layout.steady_phase import use_rank
from malloom.profile import AffinityGraph, HeapProfile
from malloom.profile.requests import U32


def friend_graph(profile: HeapProfile, *, newest_first: bool = False) -> AffinityGraph:
    """From every friend to the requests that named it, in time order or against it (thesis, section 4.4)."""
    friend = profile.requests.friend
    count = len(friend)
    named = np.flatnonzero((friend >= 0) & (friend < count))
    if newest_first:
        named = named[::-1]
    by_friend = named[np.argsort(friend[named], kind="stable")]
    offsets = np.zeros(count + 1, dtype=np.uint64)
    np.cumsum(np.bincount(friend[named], minlength=count), out=offsets[1:])
    return AffinityGraph(offsets, by_friend.astype(np.uint32), np.ones(len(named), dtype=np.uint32))


@derived
def usage_graph(profile: HeapProfile) -> AffinityGraph:
    """What is accessed after what, each node's successors heaviest first; about equal ones in the order of
    use.

    The weights stay where they were, so they no longer belong to the targets. Building leaves a trace of one
    access on every edge it goes along, which must not decide.
    """
    graph = profile.affinity()
    targets = _native.in_order_of_use(graph.offsets, graph.targets, graph.weights, use_rank(profile))
    return AffinityGraph(graph.offsets, targets, graph.weights)


def largest_first(profile: HeapProfile) -> U32:
    """All requests, the largest first, equal ones in time order."""
    order: U32 = np.argsort(~profile.requests.size, kind="stable").astype(np.uint32)
    return order


def in_time_order(profile: HeapProfile) -> U32:
    """All requests as they came."""
    return np.arange(len(profile.requests), dtype=np.uint32)
