"""The busy objects first, then the rest, each in the order of first use.

Objects that are accessed rarely dilute the lines and pages of the busy ones. Busy are those with the most
accesses per byte that together have nine in ten of all accesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from malloom.layout.layout import Layout
from malloom.layout.packing import pack
from malloom.layout.room import granules
from malloom.layout.steady_phase import use_order
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry

BUSY_SHARE = 0.9


class HotFirstUse:
    """See the module."""

    name = "hot-first-use"
    summary = "busy objects apart from the others, each in the order of first use"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        order = use_order(profile)
        is_busy = busy(profile)[order]
        order = np.concatenate([order[is_busy], order[~is_busy]])
        return pack(profile, self.name, order)


def busy(profile: HeapProfile) -> npt.NDArray[np.bool_]:
    """Which requests are busy."""
    accesses = profile.requests.accesses.astype(np.float64)
    density = accesses / granules(profile)
    by_density = np.argsort(-density, kind="stable")
    reached = np.cumsum(accesses[by_density])
    total = reached[-1] if len(reached) else 0.0
    count = int(np.searchsorted(reached, BUSY_SHARE * total)) + 1 if total else 0
    is_busy = np.zeros(len(accesses), dtype=bool)
    is_busy[by_density[:count]] = True
    return is_busy
