"""The order of use once the program has built its objects.

Programs build first and then use: the order of the very first accesses is the order of building, which any
allocator has already. So the stream of accesses is cut into stretches, and the longest run of them in which
hardly any object is used for the first time ever is the steady phase. What it does again and again, it does
in the order of its first round.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from malloom import _native
from malloom.profile import HeapProfile
from malloom.profile.requests import NEVER, U32, U64

STRETCHES = 1024
RARITY = 256
"""In the steady phase at most one access in so many is the first to its object."""
LEAST_SHARE = 0.05
"""A steady phase shorter than this share of the stream is none: the program builds and uses all the time."""

_ranks: WeakKeyDictionary[HeapProfile, U64] = WeakKeyDictionary()
_orders: WeakKeyDictionary[HeapProfile, U32] = WeakKeyDictionary()


def use_rank(profile: HeapProfile) -> U64:
    """Per request a number that grows in the order of use; NEVER for requests that no access reached.

    Requests used in the steady phase come first, as it uses them first; the others follow in the order of
    their first access. Without a steady phase the order is that of the first accesses throughout.
    """
    if profile not in _ranks:
        _ranks[profile] = _compute(profile)
    return _ranks[profile]


def use_order(profile: HeapProfile) -> U32:
    """All requests in the order of use; see use_rank."""
    if profile not in _orders:
        _orders[profile] = np.argsort(use_rank(profile), kind="stable").astype(np.uint32)
    return _orders[profile]


def _compute(profile: HeapProfile) -> U64:
    requests = profile.requests
    entries = profile.access_entries
    if not entries:
        return requests.first_access
    length = max(entries // STRETCHES, 1)
    begin, end = _native.steady_phase(profile.accesses(), len(requests), length, RARITY)
    if end - begin < LEAST_SHARE * entries:
        return requests.first_access
    steady = _native.first_uses_in(profile.accesses(), len(requests), begin, end)
    never = np.uint64(NEVER)
    late = requests.first_access + np.uint64(2**62)
    rank: U64 = np.where(steady != never, steady, np.where(requests.first_access == never, never, late))
    return rank
