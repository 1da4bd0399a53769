"""What simulated misses cost, in cycles: the one number by which layouts are ranked."""

from __future__ import annotations

from malloom.cache.geometry import Geometry
from malloom.cache.simulate import SimulatedCounts

HIDDEN_SHARE = 0.15
"""A hidden miss still costs about this share of its latency: bandwidth, and lines that come late. An
estimate, not calibrated; only so does an order that matches the walk rank before an equally dense one that
does not."""


def stall_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    """Cycles spent waiting for data and translations, if no two misses overlapped."""
    return _cache_cycles(counts, geometry) + _tlb_cycles(counts, geometry)


def _cache_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    latencies = [level.latency for level in geometry.caches[1:]] + [geometry.memory_latency]
    cycles, nearer = 0.0, float(geometry.caches[0].latency)
    for level, latency in zip(counts.caches, latencies, strict=True):
        waited = level.misses - level.hidden + HIDDEN_SHARE * level.hidden
        cycles += waited * (latency - nearer)
        nearer = latency
    return cycles


def _tlb_cycles(counts: SimulatedCounts, geometry: Geometry) -> float:
    latencies = [level.latency for level in geometry.tlbs[1:]] + [geometry.walk_latency]
    return sum(level.misses * latency for level, latency in zip(counts.tlbs, latencies, strict=False))
