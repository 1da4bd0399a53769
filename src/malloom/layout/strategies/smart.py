"""In the order of use, but so that requests that are used together do not compete for a cache set.

After the thesis's section 4.9, which knows cache size, line and ways and gives a conflict that cannot be
avoided to the request least likely to be used soon. Its search was too slow to be measured; this one looks at
the next few requests of the order only, so it is linear. The first level decides: its sets lie within a page,
while those of larger caches depend on physical addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from malloom import _native
from malloom.layout.layout import GRANULE, Layout
from malloom.layout.packing import pack
from malloom.layout.room import granules
from malloom.layout.steady_phase import use_order
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class Smart:
    """See the module."""

    name = "smart"
    summary = "in the order of use, without conflicts between requests used together"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        graph = profile.affinity()
        cache = geometry.caches[0]
        order = _native.avoid_conflicts(
            graph.offsets,
            graph.targets,
            graph.weights,
            use_order(profile),
            granules(profile),
            cache.sets,
            cache.ways,
            cache.line_bytes // GRANULE,
        )
        return pack(profile, self.name, order)
