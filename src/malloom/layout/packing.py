"""From an order of the requests to a layout: the one place where requests become addresses.

Requests that are alive together at an important moment, a generation, lie one after the other as the strategy
orders them. What lives at other times fills the holes, as an allocator would, so that the arena is about as
large as the live bytes at their peak.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.layout.derived import derived
from malloom.layout.layout import NO_PLACE, Layout
from malloom.layout.live_bytes import peak_chunk_bytes
from malloom.profile import NEVER, HeapProfile

LARGEST_SLOT = 128 << 10
"""Bytes. Larger requests gain nothing from a neighbour and are left to the fallback (glibc maps them apart as
well)."""
GENERATIONS = (16, 4, 1, 0)
"""How many generations are tried, until the arena is small enough: each keeps more of the order, and reserves
its room before all of it is alive."""
MOST_ROOM = 1.05
"""Of what a general allocator's chunks take at their peak."""
SHORT_LIFE = 10_000
SHORT_SHARE = 0.01
"""A life is short below so many tickets and below this share of the run's."""
SHORT_LIVED = 0.95
"""A call site where this share of the requests lives shortly has no places at all."""
LEAST_LEFT = 0.05
"""Unless fewer than this share of all requests would be left, and so nothing for the plan to do."""


@derived
def timeline_of(profile: HeapProfile) -> _native.Timeline:
    """The lives of a profile's requests, which do not depend on the strategy.

    With as many generations as keep the arena within MOST_ROOM, in time order; where none does, with the
    number that makes it smallest. No generation at all may need more than a few: one keeps the peak dense.
    """
    requests = profile.requests
    placed = (requests.size <= np.uint64(LARGEST_SLOT)) & ~short_lived(profile) & has_own_context(profile)
    bound = MOST_ROOM * peak_chunk_bytes(profile, placed)
    size = np.where(placed, requests.size, np.uint64(LARGEST_SLOT + 1))
    order = np.arange(len(requests), dtype=np.uint32)

    def formed(generations: int) -> _native.Timeline:
        columns = requests.birth, requests.death, size, requests.alignment, requests.accesses
        return _native.form_timeline(*columns, LARGEST_SLOT, generations)

    arenas: dict[int, int] = {}
    for generations in GENERATIONS:
        timeline = formed(generations)
        arenas[generations] = _native.place_in_order(timeline, order, "packed", 64)[1]
        if arenas[generations] <= bound:
            return timeline
    del timeline
    return formed(min(GENERATIONS, key=lambda generations: arenas[generations]))


def has_own_context(profile: HeapProfile) -> npt.NDArray[np.bool_]:
    """Requests that are not the catch-all context's, which has no frames: no run finds its slots."""
    has_frames: npt.NDArray[np.bool_] = np.diff(profile.contexts.offsets.astype(np.int64)) > 0
    return has_frames[profile.requests.context]


def short_lived(profile: HeapProfile) -> npt.NDArray[np.bool_]:
    """Requests of call sites whose objects nearly all die young.

    The fallback's free lists keep handing out the same few lines for them, and a plan would need a slot for
    every one.
    """
    requests = profile.requests
    never = np.uint64(NEVER)
    last = max(requests.birth.max(initial=0), requests.death[requests.death != never].max(initial=0))
    site = profile.at_depth(1).context
    is_short = requests.death - requests.birth < min(SHORT_LIFE, SHORT_SHARE * float(last))
    total = np.bincount(site)
    chosen: npt.NDArray[np.bool_] = (np.bincount(site, weights=is_short) >= SHORT_LIVED * total)[site]
    return chosen if np.count_nonzero(chosen) <= (1 - LEAST_LEFT) * chosen.size else np.zeros_like(chosen)


def pack(
    profile: HeapProfile, strategy: str, order: Any, *, lines: str = "packed", line_bytes: int = 64
) -> Layout:
    """Lays out the requests in `order`, an array of their numbers; those it leaves out follow in time order.

    `lines` says how objects meet cache lines: packed, unbroken (what fits a line does not cross one) or
    separate (every object begins a line).
    """
    numbers = np.ascontiguousarray(order, dtype=np.uint32)
    offset, arena_bytes = _native.place_in_order(timeline_of(profile), numbers, lines, line_bytes)
    return Layout(strategy, offset, arena_bytes)


def pack_apart(profile: HeapProfile, strategy: str, part: Any, none: int) -> Layout:
    """Where requests fall that have chunks or pools of their part's own: part by part, each in time order.

    `part` says of each request in which it is; those of the part `none` have no place.
    """
    packed = pack(profile, strategy, np.argsort(part, kind="stable"))
    return Layout(strategy, np.where(part == none, NO_PLACE, packed.offset), packed.arena_bytes)
