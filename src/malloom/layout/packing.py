"""From an order of the requests to a layout: the one place where requests become addresses.

Requests first get slots: a request may take the slot of a dead one of the same room, by preference one of its
own context, so the arena is about as large as the live bytes at their peak. Then the slots are laid out as
the strategy orders their most accessed occupants.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from malloom import _native
from malloom.layout.layout import Layout
from malloom.profile import HeapProfile
from malloom.profile.requests import U32

LARGEST_SLOT = 128 << 10
"""Bytes. Larger requests gain nothing from a neighbour and are left to the fallback (glibc maps them apart as
well)."""

_slots: WeakKeyDictionary[HeapProfile, _native.Slots] = WeakKeyDictionary()


def slots_of(profile: HeapProfile) -> _native.Slots:
    """The slots of a profile; formed once, as they do not depend on the strategy."""
    if profile not in _slots:
        requests = profile.requests
        _slots[profile] = _native.form_slots(
            requests.birth,
            requests.death,
            requests.size,
            requests.alignment,
            requests.context,
            requests.accesses,
            LARGEST_SLOT,
        )
    return _slots[profile]


def pack(
    profile: HeapProfile, strategy: str, order: Any, *, lines: str = "packed", line_bytes: int = 64
) -> Layout:
    """Lays out the requests in `order`, an array of their numbers; those it leaves out follow in time order.

    `lines` says how slots meet cache lines: packed, unbroken (what fits a line does not cross one) or
    separate (every slot begins a line).
    """
    numbers = np.ascontiguousarray(order, dtype=np.uint32)
    offset, arena_bytes = _native.place_in_order(slots_of(profile), numbers, lines, line_bytes)
    return Layout(strategy, offset, arena_bytes)


def granules(profile: HeapProfile) -> U32:
    """Room that each request needs, in granules of 16 bytes."""
    needed: U32 = np.maximum((profile.requests.size + np.uint64(15)) // np.uint64(16), 1).astype(np.uint32)
    return needed
