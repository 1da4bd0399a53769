"""Simulates a whole run, by the addresses of its accesses, on several machines in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from malloom import _native
from malloom.cache.geometry import Geometry, Level


@dataclass(frozen=True)
class Prefetches:
    """What a prefetcher of eight streams does (src/native/simulation/prefetch_engine.h)."""

    streams: int
    first_level: int
    """Lines prefetched into the first cache."""
    second_level: int
    """Lines prefetched from memory, or a third cache, into the second."""


@dataclass(frozen=True)
class WholeRun:
    """Counts of a run. Stacks and the images of modules are not in it."""

    accesses: int
    lines: int
    """Distinct lines of 64 bytes."""
    pages: int
    """Distinct pages of 4096 bytes."""
    misses: Mapping[str, Mapping[str, int]]
    """By machine and level: its caches, then its TLBs."""
    prefetches: Mapping[str, Prefetches]
    """By the machine whose first two caches the prefetcher has."""


def simulate_run(
    accesses: _native.AddressSource, machines: Sequence[Geometry], prefetching: Sequence[Geometry]
) -> WholeRun:
    """All levels replace the least recently used line, whatever the machine's do."""
    shapes = [(_shapes(machine.caches), _shapes(machine.tlbs)) for machine in machines]
    engines = [_shapes(machine.caches[:2]) for machine in prefetching]
    count, lines, pages, levels, prefetches = _native.simulate_addresses(accesses, shapes, engines)
    misses = {
        machine.name: {
            level.name: counted[1]
            for level, counted in zip((*machine.caches, *machine.tlbs), found, strict=True)
        }
        for machine, found in zip(machines, levels, strict=True)
    }
    streams = zip(prefetching, prefetches, strict=True)
    return WholeRun(
        count, lines, pages, misses, {machine.name: Prefetches(*found) for machine, found in streams}
    )


def _shapes(levels: Sequence[Level]) -> list[tuple[int, int, int]]:
    return [(level.sets, level.ways, level.line_bytes) for level in levels]
