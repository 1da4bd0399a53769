"""How many bytes are live at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from malloom.layout.layout import GRANULE
from malloom.layout.packing import granules
from malloom.profile import HeapProfile
from malloom.profile.requests import NEVER, U32, U64


def peak_bytes(profile: HeapProfile, chosen: npt.NDArray[np.bool_]) -> int:
    """Live bytes of the chosen requests at their peak, in whole granules."""
    group = np.where(chosen, 0, 1).astype(np.uint32)
    return int(peak_bytes_by_group(profile, group, 1)[0])


def peak_bytes_by_group(profile: HeapProfile, group: U32, groups: int) -> U64:
    """The same for every group from 0; requests of other groups do not count."""
    requests = profile.requests
    chosen = np.flatnonzero(group < groups)
    dying = chosen[requests.death[chosen] != np.uint64(NEVER)]
    room = granules(profile).astype(np.int64) * GRANULE
    who = np.concatenate([chosen, dying])
    change = np.concatenate([room[chosen], -room[dying]])
    ticket = np.concatenate([requests.birth[chosen], requests.death[dying]])
    in_time = np.argsort(ticket, kind="stable")
    who, change = who[in_time], change[in_time]
    peaks = np.zeros(groups, dtype=np.uint64)
    by_group = np.argsort(group[who].astype(np.uint16), kind="stable")  # NumPy sorts 16 bits by radix
    bounds = np.searchsorted(group[who][by_group], np.arange(groups + 1))
    for number in range(groups):
        own = change[by_group[bounds[number] : bounds[number + 1]]]
        peaks[number] = np.cumsum(own).max(initial=0)
    return peaks
