"""What simulated misses cost, in cycles of the processor: the one number by which layouts are ranked.

All of it follows the geometry: latencies, and what a prefetched miss still costs, are its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom.cache.geometry import Geometry
from malloom.cache.simulate import CountsByContext, SimulatedCounts

F64 = npt.NDArray[np.float64]


def stall_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    """Cycles spent waiting for data and translations, if no two misses overlapped."""
    misses = [level.misses for level in counts.caches]
    hidden = [level.hidden for level in counts.caches]
    return float(_cycles(misses, hidden, [level.misses for level in counts.tlbs], geometry))


def translation_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    """Those of stall_cycles that go into translations."""
    return float(_translations([level.misses for level in counts.tlbs], geometry))


def stall_cycles_by_context(counts: CountsByContext, geometry: Geometry) -> F64:
    """The same, of the objects of each context."""
    misses, hidden, tlbs = (
        [column.astype(np.float64) for column in of]
        for of in (counts.misses, counts.hidden, counts.tlb_misses)
    )
    found: F64 = _cycles(misses, hidden, tlbs, geometry)
    return found


def _cycles(
    misses: Sequence[Any], hidden: Sequence[Any], tlb_misses: Sequence[Any], geometry: Geometry
) -> Any:
    """Of counts by level, which are numbers or columns of numbers."""
    latencies = [level.latency for level in geometry.caches[1:]] + [geometry.memory_latency]
    cycles, nearer = 0.0, float(geometry.caches[0].latency)
    for missed, covered, latency in zip(misses, hidden, latencies, strict=True):
        cycles = cycles + (missed - covered + geometry.hidden_share * covered) * (latency - nearer)
        nearer = latency
    return cycles + _translations(tlb_misses, geometry)


def _translations(tlb_misses: Sequence[Any], geometry: Geometry) -> Any:
    beyond = [level.latency for level in geometry.tlbs[1:]] + [geometry.walk_latency]
    return sum(missed * latency for missed, latency in zip(tlb_misses, beyond, strict=False))
