"""The order of use once the program has built its objects.

Programs build first and then use: the order of the very first accesses is the order of building, which any
allocator has already. So the stream of accesses is cut into stretches, and the longest run of them in which
hardly any object is used for the first time ever is the steady phase. What it does again and again, it does
in the order of its first round.
"""

from __future__ import annotations

import numpy as np

from malloom.layout.derived import derived
from malloom.profile import HeapProfile
from malloom.profile.requests import NEVER, U32, U64


@derived
def use_rank(profile: HeapProfile) -> U64:
    """Per request a number that grows in the order of use; NEVER for requests that no access reached.

    Requests used in the steady phase come first, as it uses them first; the others follow in the order of
    their first access. Without a steady phase the order is that of the first accesses throughout.
    """
    first = profile.requests.first_access
    steady = profile.steady_use()
    if steady is None:
        return first
    never = np.uint64(NEVER)
    late = np.where(first == never, never, first + np.uint64(2**62))
    rank: U64 = np.where(steady != never, steady, late)
    return rank


@derived
def use_order(profile: HeapProfile) -> U32:
    """All requests in the order of use; see use_rank."""
    order: U32 = np.argsort(use_rank(profile), kind="stable").astype(np.uint32)
    return order
