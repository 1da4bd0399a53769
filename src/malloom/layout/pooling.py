"""Contexts whose requests agree in size, so that each is worth a pool (Zhao, Rabbah and Wong, section 2).

Where the requests of a call site disagree it may lie in a wrapper, and its callers decide, one frame at a
time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from malloom import formats
from malloom.layout.layout import DEEPER_POOLS, GRANULE, Pools
from malloom.layout.packing import has_own_context
from malloom.profile import HeapProfile, Refolded
from malloom.profile.requests import I64, U32, U64

LARGEST = formats.load("plan").limits["largest_pooled"]
MOST_FRAMES = formats.load("plan").limits["most_pool_frames"]
LEAST_REQUESTS = 32
"""A context of fewer requests does not fill a page."""
AGREEING = 0.9
"""Share of a context's requests that have the pool's size."""
NO_POOL = -1


def pools_of(profile: HeapProfile, shallowest: int = 1, deepest: int = MOST_FRAMES) -> tuple[Pools, I64]:
    """The pools of contexts of so many frames, each as shallow as it can be, and the pool of every request.

    A pool's number is its place among `Pools.hashes`; requests without one have NO_POOL.
    """
    undecided = has_own_context(profile)
    pool = np.full(len(profile.requests), NO_POOL, dtype=np.int64)
    hashes: list[int] = []
    sizes: list[int] = []
    levels: list[Refolded] = []
    deepest_pool = 1
    deeper: dict[int, None] = {}
    for depth in range(shallowest, max(min(deepest, profile.contexts.depth), shallowest) + 1):
        level = profile.at_depth(depth)
        agreeing, common = _agreeing(level, profile, undecided)
        for context in np.flatnonzero(agreeing).tolist():
            members = np.flatnonzero((level.context == context) & undecided)
            deeper.update(dict.fromkeys(_hash(other, members[0]) for other in levels))
            pool[members[profile.requests.size[members] == common[context]]] = len(hashes)
            deepest_pool = depth
            hashes.append(int(level.hashes[context]))
            sizes.append(int(common[context]))
        undecided &= ~agreeing[level.context]
        levels.append(level)
    wrappers = [each for each in deeper if each not in set(hashes)]
    return Pools(
        depth=deepest_pool,
        hashes=np.array(hashes + wrappers, dtype=np.uint64),
        bytes=np.array(sizes + [DEEPER_POOLS] * len(wrappers), dtype=np.uint32),
    ), pool


def _hash(level: Refolded, request: int) -> int:
    return int(level.hashes[level.context[request]])


def _agreeing(
    level: Refolded, profile: HeapProfile, undecided: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], U64]:
    """Which contexts are worth a pool, by their undecided requests, and the commonest size of each."""
    count = len(level.hashes)
    requests = profile.requests
    total = np.bincount(level.context[undecided], minlength=count)
    common, agree = _commonest(level.context[undecided], requests.size[undecided], count)
    fits = (
        (common > 0)
        & (common <= LARGEST)
        & (_largest_alignment(level.context, requests.alignment, count) <= GRANULE)
    )
    return (total >= LEAST_REQUESTS) & (agree >= AGREEING * total) & fits, common


def _largest_alignment(context: U32, alignment: U32, contexts: int) -> U32:
    largest = np.zeros(contexts, dtype=np.uint32)
    np.maximum.at(largest, context, alignment)
    return largest


def _commonest(context: U32, size: U64, contexts: int) -> tuple[U64, I64]:
    """Per context the size that most of its requests have, and how many these are."""
    sizes, index = np.unique(size, return_inverse=True)
    pairs, count = np.unique(context.astype(np.int64) * max(len(sizes), 1) + index, return_counts=True)
    order = np.argsort(count, kind="stable")
    of_context, of_size = np.divmod(pairs[order], max(len(sizes), 1))
    common, most = np.zeros(contexts, dtype=np.uint64), np.zeros(contexts, dtype=np.int64)
    # The last assignment stands: that of the highest count.
    common[of_context], most[of_context] = sizes[of_size], count[order]
    return common, most
