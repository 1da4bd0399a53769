"""A pool for every context whose requests agree in size (Zhao, Rabbah and Wong).

The plan names contexts and sizes, no single requests, so it carries over to runs on other inputs. The offsets
say where requests would fall with one pool after the other, for the simulation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from malloom.layout.layout import Layout
from malloom.layout.packing import pack_apart
from malloom.layout.pooling import NO_POOL, pools_of
from malloom.profile import HeapProfile

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry


class PoolPerContext:
    """See the module."""

    name = "pools"
    summary = "a pool for every context whose requests have one size; fits other inputs too"

    def place(self, profile: HeapProfile, geometry: Geometry) -> Layout:
        pools, pool = pools_of(profile)
        return replace(pack_apart(profile, self.name, pool, NO_POOL), pools=pools)
