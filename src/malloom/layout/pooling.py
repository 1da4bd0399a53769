"""Contexts whose requests agree in size, so that each is worth a pool (Zhao, Rabbah and Wong, section 2).

Where the requests of a call site disagree it may lie in a wrapper, and its callers decide, one frame at a
time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.layout.layout import DEEPER_POOLS, GRANULE, Pools
from malloom.layout.level import Level
from malloom.layout.packing import has_own_context
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, U32, U64

LARGEST = formats.load("plan").limits["largest_pooled"]
MOST_FRAMES = formats.load("plan").limits["most_pool_frames"]
LEAST_REQUESTS = 32
"""A context of fewer requests does not fill a page."""
AGREEING = 0.9
"""Share of a context's requests that have the pool's size."""
NO_POOL = -1


@dataclass(frozen=True)
class Kinds:
    """Requests that are alike: in size, and in what context they have at any number of frames. A row each."""

    size: U64
    requests: I64
    is_aligned: npt.NDArray[np.bool_]
    """Whether it has requests that are aligned to more than a granule."""
    has_context: npt.NDArray[np.bool_]
    """Whether a run can tell where they come from."""


def pools_of(profile: HeapProfile, shallowest: int = 1, deepest: int = MOST_FRAMES) -> tuple[Pools, I64]:
    """The pools of contexts of so many frames, each as shallow as it can be, and the pool of every request.

    A pool's number is its place among `Pools.hashes`; requests without one have NO_POOL.
    """
    kinds, first, of_request = _kinds(profile)
    depths = range(shallowest, max(min(deepest, profile.contexts.depth), shallowest) + 1)
    refolded = (profile.at_depth(depth) for depth in depths)
    levels = (Level(level.context[first], level.hashes) for level in refolded)
    pools, pool = choose_pools(kinds, zip(depths, levels, strict=True))
    return pools, pool[of_request]


def _kinds(profile: HeapProfile) -> tuple[Kinds, I64, I64]:
    """The kinds of a profile's requests, a request of each, and the kind of every request."""
    requests = profile.requests
    sizes, of_size = np.unique(requests.size, return_inverse=True)
    is_aligned = requests.alignment > GRANULE
    keys = (requests.context.astype(np.int64) * max(len(sizes), 1) + of_size) * 2 + is_aligned
    _, first, of_request, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    has_context = has_own_context(profile)[first]
    return Kinds(requests.size[first], counts, is_aligned[first], has_context), first, of_request


def choose_pools(kinds: Kinds, levels: Iterable[tuple[int, Level]]) -> tuple[Pools, I64]:
    """The pools, each as shallow as it can be, and the pool of each kind, or NO_POOL. `levels` come with
    their depths, the shallowest first."""
    undecided = kinds.has_context.copy()
    pool = np.full(len(kinds.size), NO_POOL, dtype=np.int64)
    hashes: list[int] = []
    sizes: list[int] = []
    above: list[Level] = []
    deepest_pool = 1
    deeper: dict[int, None] = {}
    for depth, level in levels:
        agreeing, common = _agreeing(level, kinds, undecided)
        for context in np.flatnonzero(agreeing).tolist():
            members = np.flatnonzero((level.of_row == context) & undecided)
            deeper.update(dict.fromkeys(int(other.hashes[other.of_row[members[0]]]) for other in above))
            pool[members[kinds.size[members] == common[context]]] = len(hashes)
            deepest_pool = depth
            hashes.append(int(level.hashes[context]))
            sizes.append(int(common[context]))
        undecided &= ~agreeing[level.of_row]
        above.append(level)
    wrappers = [each for each in deeper if each not in set(hashes)]
    return Pools(
        depth=deepest_pool,
        hashes=np.array(hashes + wrappers, dtype=np.uint64),
        bytes=np.array(sizes + [DEEPER_POOLS] * len(wrappers), dtype=np.uint32),
    ), pool


def _agreeing(
    level: Level, kinds: Kinds, undecided: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], U64]:
    """Which contexts are worth a pool, by their undecided requests, and the commonest size of each."""
    count = len(level.hashes)
    of_row, requests = level.of_row[undecided], kinds.requests[undecided]
    total = _summed(of_row, requests, count)
    common, agree = _commonest(of_row, kinds.size[undecided], requests, count)
    is_aligned = np.bincount(level.of_row[kinds.is_aligned], minlength=count) > 0
    fits = (common > 0) & (common <= LARGEST) & ~is_aligned
    return (total >= LEAST_REQUESTS) & (agree >= AGREEING * total) & fits, common


def _summed(of: npt.NDArray[Any], counts: I64, length: int) -> I64:
    """Whole numbers, which doubles hold exactly."""
    return np.bincount(of, weights=counts, minlength=length).astype(np.int64)


def _commonest(context: U32, size: U64, requests: I64, contexts: int) -> tuple[U64, I64]:
    """Per context the size that most of its requests have, and how many these are."""
    sizes, index = np.unique(size, return_inverse=True)
    pairs, of_pair = np.unique(context.astype(np.int64) * max(len(sizes), 1) + index, return_inverse=True)
    count = _summed(of_pair, requests, len(pairs))
    order = np.argsort(count, kind="stable")
    of_context, of_size = np.divmod(pairs[order], max(len(sizes), 1))
    common, most = np.zeros(contexts, dtype=np.uint64), np.zeros(contexts, dtype=np.int64)
    # The last assignment stands: that of the highest count.
    common[of_context], most[of_context] = sizes[of_size], count[order]
    return common, most
