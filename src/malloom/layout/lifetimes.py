"""How long the objects of each context live, in bytes that the program asks for meanwhile, and which live
about as long.

Classes by call chain are those of LLAMA (Maas et al., ASPLOS 2020), by whose finding lifetimes of objects of
one call chain are alike, and differ between chains by orders of magnitude. A lifetime alone does not say
whether neighbours die together: a batch that is freed at once has all lifetimes up to its own. So a context
is asked how much of the chunks that it would fill is alive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom.layout.grouping import LEAST_USES, SMALLEST_CHUNK
from malloom.layout.layout import NO_GROUP
from malloom.layout.packing import LARGEST_SLOT
from malloom.profile import NEVER, HeapProfile
from malloom.profile.requests import I64, U32, U64

F64 = npt.NDArray[np.float64]

SHORT = SMALLEST_CHUNK
"""Bytes: what dies sooner dies within the chunk that it lies in, so there is one class of it."""
STEP = 4
"""From one class to the next. Where two contexts as far apart as that share chunks in equal parts, these are
alive for 5/8 of their time."""
MOST_HELD = 2
"""A context's chunks are held for at most so many times what lives in them, or the run time would stop its
group (runtime/heaps/plan/group_heap.cpp)."""


@dataclass(frozen=True)
class Lives:
    """When objects come and go; an entry per object, in the order of births. Time is bytes asked for."""

    size: U64
    context: U32
    born: U64
    dead: U64
    """Of what is never given back: the end of the run, plus the time before its birth, as it would have
    outlived a longer run too, however late it came."""
    whole: int
    """Of the whole run."""


def lives_of(profile: HeapProfile, context: U32) -> Lives:
    """The lives of the requests that a group can serve, each in its context."""
    requests = profile.requests
    asked = np.r_[np.uint64(0), np.cumsum(requests.size, dtype=np.uint64)]
    born, whole = asked[1:], int(asked[-1])
    dead = np.where(
        requests.death == np.uint64(NEVER),
        born + asked[-1],
        asked[np.searchsorted(requests.birth, requests.death)],
    )
    fits = requests.size <= LARGEST_SLOT
    return Lives(requests.size[fits], context[fits], born[fits], dead[fits], whole)


def mean_lifetimes(lives: Lives, contexts: int) -> F64:
    """Of each of so many contexts, each byte counting alike; 0 where it asks for none."""
    lived = (lives.dead - lives.born).astype(np.float64) * lives.size
    asked = np.bincount(lives.context, weights=lives.size, minlength=contexts)
    mean: F64 = np.bincount(lives.context, weights=lived, minlength=contexts) / np.maximum(asked, 1)
    return mean


def are_dense(lives: Lives, contexts: int) -> npt.NDArray[np.bool_]:
    """Whether the chunks that each context would fill by itself live for long enough, one chunk aside."""
    order = np.argsort(lives.context, kind="stable")
    context, size = lives.context[order], lives.size[order]
    born, dead = lives.born[order], np.minimum(lives.dead[order], lives.whole)
    asked = np.bincount(context, weights=size, minlength=contexts)
    before = (np.cumsum(size) - size) - (np.cumsum(asked) - asked)[context].astype(np.uint64)
    chunk = before // np.uint64(SMALLEST_CHUNK)
    starts = np.flatnonzero(np.r_[True, (context[1:] != context[:-1]) | (chunk[1:] != chunk[:-1])])
    if not len(context):
        return np.zeros(contexts, dtype=np.bool_)
    held = np.maximum.reduceat(dead, starts) - born[starts]
    held_bytes = np.bincount(context[starts], weights=held * float(SMALLEST_CHUNK), minlength=contexts)
    lived = (dead - born).astype(np.float64) * size
    live_bytes = np.bincount(context, weights=lived, minlength=contexts)
    is_dense: npt.NDArray[np.bool_] = held_bytes <= MOST_HELD * live_bytes + SMALLEST_CHUNK * lives.whole
    return is_dense & (asked >= SMALLEST_CHUNK)


def classes_of(mean: F64) -> I64:
    """The class of each lifetime, 0 for those below SHORT."""
    steps: I64 = np.floor(np.log(np.maximum(mean / SHORT, 1)) / np.log(STEP)).astype(np.int64)
    return np.where(mean < SHORT, 0, steps + 1)


def group_by_lifetime(profile: HeapProfile, context: U32, contexts: int) -> tuple[U32, npt.NDArray[np.bool_]]:
    """The group of each context, or NO_GROUP: of those that live about as long, the busy ones apart from the
    others where accesses were recorded. And whether each group stays in small pages, as it is of the others.
    `context` gives each request one of `contexts` contexts."""
    lives = lives_of(profile, context)
    found = classes_of(mean_lifetimes(lives, contexts))
    uses = np.bincount(context, weights=profile.requests.accesses, minlength=contexts)
    is_busy = uses >= LEAST_USES * np.bincount(context, minlength=contexts)
    key = np.where(found > 0, 2 * found + is_busy, found)
    fits = are_dense(lives, contexts)
    group = np.full(contexts, NO_GROUP, dtype=np.uint32)
    _, first, group[fits] = np.unique(key[fits], return_index=True, return_inverse=True)
    return group, ~is_busy[fits][first] & bool(uses.any())
