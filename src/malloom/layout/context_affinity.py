"""Which contexts are used together: the affinity graph of the requests, with the requests of a context as one
node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom.profile import AffinityGraph
from malloom.profile.requests import I64, U32, U64

BATCH = 1 << 22
"""Edges contracted at a time: bounds the memory that this takes."""

DENSE_KEYS = 1 << 22
"""Pairs of contexts are counted in an array as long as there are fewer."""


@dataclass(frozen=True)
class ContextEdges:
    """Undirected edges between different contexts, and what each context has inside; weights in accesses."""

    a: I64
    b: I64
    weight: U64
    inside: U64
    """Per context: accesses from one of its objects to another."""


def contract(graph: AffinityGraph, context: U32, contexts: int) -> ContextEdges:
    """Sums the edges of a graph of requests by the contexts of their ends."""
    keys = np.zeros(0, dtype=np.int64)
    weights = np.zeros(0, dtype=np.uint64)
    for begin in range(0, graph.edges, BATCH):
        end = min(begin + BATCH, graph.edges)
        more_keys, more_weights = _pairs(graph, context, contexts, begin, end)
        keys, weights = _summed(np.concatenate([keys, more_keys]), np.concatenate([weights, more_weights]))
    a, b = np.divmod(keys, max(contexts, 1))
    loops = a == b
    inside = np.zeros(contexts, dtype=np.uint64)
    inside[a[loops]] = weights[loops]
    return ContextEdges(a[~loops], b[~loops], weights[~loops], inside)


def _pairs(
    graph: AffinityGraph, context: U32, contexts: int, begin: int, end: int
) -> tuple[npt.NDArray[np.int64], U64]:
    source = _sources(graph, begin, end)
    tail = context[source].astype(np.int64)
    head = context[graph.targets[begin:end]].astype(np.int64)
    return _summed(
        np.minimum(tail, head) * contexts + np.maximum(tail, head), graph.weights[begin:end].astype(np.uint64)
    )


def _sources(graph: AffinityGraph, begin: int, end: int) -> npt.NDArray[np.int64]:
    """The node that each of the edges from `begin` to `end` leaves."""
    first = int(np.searchsorted(graph.offsets, begin, side="right")) - 1
    last = int(np.searchsorted(graph.offsets, end, side="left"))
    bounds = np.clip(graph.offsets[first : last + 1].astype(np.int64), begin, end)
    return np.repeat(np.arange(first, last), np.diff(bounds))


def _summed(keys: npt.NDArray[np.int64], weights: U64) -> tuple[npt.NDArray[np.int64], U64]:
    if len(keys) and int(keys.max()) < DENSE_KEYS:
        dense = np.bincount(keys, weights=weights.astype(np.float64))
        present = np.flatnonzero(dense)
        return present, dense[present].astype(np.uint64)
    distinct, position = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), dtype=np.uint64)
    np.add.at(sums, position, weights)
    return distinct, sums
