"""The order of use once the program has built its objects.

Programs build first and then use: the order of the very first accesses is the order of building, which any
allocator has already. So the stream of accesses is cut into stretches, and the longest run of them in which
hardly any object is used for the first time ever is the steady phase. What it does again and again, it does
in the order of its first round.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from malloom.profile import HeapProfile
from malloom.profile.requests import NEVER, U32, U64

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
    first = profile.requests.first_access
    steady = profile.steady_use()
    if steady is None:
        return first
    never = np.uint64(NEVER)
    late = np.where(first == never, never, first + np.uint64(2**62))
    rank: U64 = np.where(steady != never, steady, late)
    return rank
