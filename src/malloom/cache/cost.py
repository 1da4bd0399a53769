"""What simulated misses cost, in cycles of the processor: the one number by which layouts are ranked.

All of it follows the geometry: latencies, and what a prefetched miss still costs, are its fields.
"""

from __future__ import annotations

from malloom.cache.geometry import Geometry
from malloom.cache.simulate import SimulatedCounts


def stall_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    """Cycles spent waiting for data and translations, if no two misses overlapped."""
    return _cache_cycles(counts, geometry) + _tlb_cycles(counts, geometry)


def _cache_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    latencies = [level.latency for level in geometry.caches[1:]] + [geometry.memory_latency]
    cycles, nearer = 0.0, float(geometry.caches[0].latency)
    for level, latency in zip(counts.caches, latencies, strict=True):
        waited = level.misses - level.hidden + geometry.hidden_share * level.hidden
        cycles += waited * (latency - nearer)
        nearer = latency
    return cycles


def _tlb_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    latencies = [level.latency for level in geometry.tlbs[1:]] + [geometry.walk_latency]
    return sum(level.misses * latency for level, latency in zip(counts.tlbs, latencies, strict=False))
