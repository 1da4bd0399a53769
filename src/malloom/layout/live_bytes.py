"""How many bytes are live at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from malloom.layout.room import chunk_bytes, room_bytes
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, NEVER, U32, U64


def peak_bytes(profile: HeapProfile, chosen: npt.NDArray[np.bool_]) -> int:
    """Live bytes of the chosen requests at their peak, in whole granules."""
    return _peak(profile, np.flatnonzero(chosen), room_bytes(profile))


def peak_chunk_bytes(profile: HeapProfile, chosen: npt.NDArray[np.bool_]) -> int:
    """What their chunks take in the C library's heap at their peak."""
    return _peak(profile, np.flatnonzero(chosen), chunk_bytes(profile))


def peak_bytes_by_group(profile: HeapProfile, group: U32, groups: int) -> U64:
    """The same for every group from 0; requests of other groups do not count."""
    chosen = np.flatnonzero(group < groups)
    by_group = chosen[np.argsort(group[chosen].astype(np.uint16), kind="stable")]  # 16 bits: a radix sort
    bounds = np.searchsorted(group[by_group], np.arange(groups + 1))
    room = room_bytes(profile)
    peaks = [_peak(profile, by_group[bounds[each] : bounds[each + 1]], room) for each in range(groups)]
    return np.array(peaks, dtype=np.uint64)


def _peak(profile: HeapProfile, chosen: npt.NDArray[np.intp], room: I64) -> int:
    """As above for requests by number, in time order. The peak comes right after a birth."""
    requests = profile.requests
    taken = room[chosen]
    death = requests.death[chosen]
    dying = np.flatnonzero(death != np.uint64(NEVER))
    dying = dying[np.argsort(death[dying])]
    freed = np.concatenate([[0], np.cumsum(taken[dying])])
    gone = np.searchsorted(death[dying], requests.birth[chosen])
    return int((np.cumsum(taken) - freed[gone]).max(initial=0))
