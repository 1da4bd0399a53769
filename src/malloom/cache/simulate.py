"""Simulates a geometry over a profile's accesses, under many layouts in one pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from malloom import _native
from malloom.cache.geometry import Geometry
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, U32, U64
from malloom.profile.survey import windows

WARM_UP_SHARE = 0.25
"""The first part of a window fills the caches and is not counted: a limit of cost, as what was in use long
before a window is missed once more in it."""


@dataclass(frozen=True)
class LevelCounts:
    """What one cache or TLB saw."""

    name: str
    references: int
    misses: int
    hidden: int
    """Of the misses, those that nobody waits for: a prefetcher covers them, or the memory is used for
    the first time, so that the kernel has just zeroed it. 0 for TLBs."""


@dataclass(frozen=True)
class CountsByContext:
    """What the objects of each context cost: columns with an entry per context of the profile."""

    misses: tuple[U64, ...]
    """Of each cache."""
    hidden: tuple[U64, ...]
    tlb_misses: tuple[U64, ...]
    """Of each TLB."""


@dataclass(frozen=True)
class SimulatedCounts:
    """What one layout cost. Counts of the sample where a sample was simulated, not scaled up."""

    caches: tuple[LevelCounts, ...]
    tlbs: tuple[LevelCounts, ...]
    lines: int
    """Distinct lines of 64 bytes that the accessed objects lie in."""
    pages: int
    """Distinct pages of 4096 bytes that they lie in."""
    by_context: CountsByContext | None = field(default=None, compare=False)
    """None where that was not asked for."""


@dataclass(frozen=True)
class Sample:
    """Which accesses are simulated: in turn `skip` are left out and `take` are kept; take 0: all are."""

    skip: int
    take: int

    @property
    def warm_up(self) -> int:
        """Accesses at the start of each window that are not counted."""
        return int(self.take * WARM_UP_SHARE)

    @property
    def every(self) -> float:
        """Accesses of the run for each that is taken."""
        return (self.skip + self.take) / self.take if self.take else 1.0

    @property
    def scale(self) -> float:
        """Accesses of the run for each that is counted."""
        return (self.skip + self.take) / (self.take - self.warm_up) if self.take else 1.0


WHOLE = Sample(0, 0)
"""No sample, but all."""


def sample_among(access_entries: int, budget: int | None) -> Sample:
    """About `budget` of so many accesses, or all of them where there are no more or the budget is None."""
    return Sample(*windows(access_entries, budget))


def simulate(
    profile: HeapProfile,
    offsets: Mapping[str, I64],
    geometry: Geometry,
    *,
    sample: Sample | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, SimulatedCounts]:
    """Counts for each layout, given as offsets by name (bytes from the arena's start; -1: where it was
    recorded).

    `progress` is told how many accesses are done. Memory: 4 bytes per request and layout, and the simulated
    caches.
    """
    simulation = Simulation(profile, geometry)
    for name, column in offsets.items():
        simulation.add(name, column)
    return simulation.run(sample, progress)


class Simulation:
    """Takes layouts one by one, so that the caller need not hold all of them, and then runs once."""

    def __init__(self, profile: HeapProfile, geometry: Geometry, by_context: bool = False) -> None:
        self._profile = profile
        self._geometry = geometry
        self._contexts = len(profile.contexts) if by_context else 0
        self._touched: dict[str, tuple[int, int]] = {}
        self._native = _native.Simulation(
            profile.requests.address,
            profile.requests.size,
            profile.requests.accesses,
            profile.requests.first_access,
            profile.requests.context,
            self._contexts,
            [(level.sets, level.ways, level.line_bytes) for level in geometry.caches],
            [(level.sets, level.ways, level.line_bytes) for level in geometry.tlbs],
            geometry.replacement,
        )

    def add(self, name: str, offset: I64, huge_bytes: int = 0) -> None:
        """Adds a layout, the first `huge_bytes` of whose arena are in huge pages where the machine has any.
        Raises ValueError where an offset is not a multiple of 16 below 64 GiB."""
        column = np.ascontiguousarray(offset, dtype=np.int64)
        self._touched[name] = self._native.add(column, huge_bytes if self._geometry.has_huge_pages else 0)

    def add_moved(
        self, name: str, offset: I64, second: I64, places: U32, first_bytes: int, second_bytes: int
    ) -> None:
        """Adds a layout in which objects have their fields in other places, those of requests whose `second`
        is not -1: the byte at an offset goes to its place in an object of `first_bytes` at `offset`, or, from
        `first_bytes` on, in one of `second_bytes` at `second`. Its lines and pages are not counted. Raises
        ValueError as `add` does, and where a place lies in neither."""
        self._native.add_moved(
            np.ascontiguousarray(offset, dtype=np.int64),
            np.ascontiguousarray(second, dtype=np.int64),
            np.ascontiguousarray(places, dtype=np.uint32),
            first_bytes,
            second_bytes,
        )
        self._touched[name] = (0, 0)

    def offset(self, name: str) -> I64:
        """The offsets that were added under that name."""
        return self._native.offsets(list(self._touched).index(name))

    def retain(self, names: Collection[str]) -> None:
        """Forgets all layouts but these, and all that was counted."""
        self._native.retain([number for number, name in enumerate(self._touched) if name in names])
        self._touched = {name: touched for name, touched in self._touched.items() if name in names}

    def run(
        self, sample: Sample | None = None, progress: Callable[[int], None] | None = None
    ) -> dict[str, SimulatedCounts]:
        """Runs the accesses through all layouts and returns the counts of each by name."""
        chosen = sample or WHOLE
        accesses = self._profile.accesses(chosen.skip, chosen.take)
        self._native.run(accesses, chosen.take, chosen.warm_up, chosen.skip, progress)
        counted = enumerate(zip(self._touched.items(), self._native.counts(), strict=True))
        return {
            name: self._counts(levels, touched, self._by_context(number))
            for number, ((name, touched), levels) in counted
        }

    def _by_context(self, number: int) -> CountsByContext | None:
        if not self._contexts:
            return None
        columns = self._native.counts_by_context(number).reshape(self._contexts, -1).T
        caches = 2 * len(self._geometry.caches)
        return CountsByContext(
            tuple(columns[0:caches:2]), tuple(columns[1:caches:2]), tuple(columns[caches:])
        )

    def _counts(
        self,
        levels: list[tuple[int, int, int]],
        touched: tuple[int, int],
        by_context: CountsByContext | None,
    ) -> SimulatedCounts:
        named = [
            LevelCounts(level.name, *counts)
            for level, counts in zip((*self._geometry.caches, *self._geometry.tlbs), levels, strict=True)
        ]
        caches = len(self._geometry.caches)
        return SimulatedCounts(tuple(named[:caches]), tuple(named[caches:]), *touched, by_context)
