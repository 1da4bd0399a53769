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
    return _peak(profile, np.flatnonzero(chosen))


def peak_bytes_by_group(profile: HeapProfile, group: U32, groups: int) -> U64:
    """The same for every group from 0; requests of other groups do not count."""
    chosen = np.flatnonzero(group < groups)
    by_group = chosen[np.argsort(group[chosen].astype(np.uint16), kind="stable")]  # 16 bits: a radix sort
    bounds = np.searchsorted(group[by_group], np.arange(groups + 1))
    peaks = [_peak(profile, by_group[bounds[each] : bounds[each + 1]]) for each in range(groups)]
    return np.array(peaks, dtype=np.uint64)


def _peak(profile: HeapProfile, chosen: npt.NDArray[np.intp]) -> int:
    """As above for requests by number, in time order. The peak comes right after a birth."""
    requests = profile.requests
    room = granules(profile)[chosen].astype(np.int64) * GRANULE
    death = requests.death[chosen]
    dying = np.flatnonzero(death != np.uint64(NEVER))
    dying = dying[np.argsort(death[dying])]
    freed = np.concatenate([[0], np.cumsum(room[dying])])
    gone = np.searchsorted(death[dying], requests.birth[chosen])
    return int((np.cumsum(room) - freed[gone]).max(initial=0))
