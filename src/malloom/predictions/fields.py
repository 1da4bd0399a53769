"""What other places for the fields of objects are predicted to save: simulated as if the structure had been
written so, and its objects lay beside each other, as a pool keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.cache.cost import stall_cycles
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Simulation, sample_among
from malloom.fields.arrangement import Arrangement, Parts, parts_of, unmoved
from malloom.layout.layout import GRANULE, NO_PLACE
from malloom.layout.packing import LARGEST_SLOT
from malloom.layout.ranking import RECORDED, SILENT, RankingProgress, simulation_of
from malloom.profile import HeapProfile
from malloom.profile.requests import I64

MOST_ACCESSES = 8_000_000
"""That are simulated: a limit of cost, some seconds with ten layouts."""
PAGE = 4096


@dataclass(frozen=True)
class Structure:
    """Objects of one size and make."""

    contexts: Sequence[int]
    """Hashes of those that make them."""
    size: int
    """Bytes."""
    arrangement: Arrangement


@dataclass(frozen=True)
class Saved:
    """Shares of all that the program waits for heap objects as recorded; less than 0 where it would wait
    longer."""

    beside: float
    """By objects beside each other, with their fields as they are."""
    together: float
    """With the fields that are used most at the start."""
    split: float | None
    """With the objects split in two; None where no split gains lines."""


def saved_by_moving(
    profile: HeapProfile,
    geometry: Geometry,
    structures: Sequence[Structure],
    depth: int,
    progress: RankingProgress = SILENT,
) -> list[Saved]:
    """For each structure alone; `depth` is how many frames its contexts have at most. Empty where nothing
    waits as recorded."""
    simulation = simulation_of(profile, geometry)
    simulation.add(RECORDED, np.full(len(profile.requests), NO_PLACE, dtype=np.int64))
    folded = profile.at_depth(depth)
    for number, structure in enumerate(structures):
        made = np.isin(folded.hashes, np.array(list(structure.contexts), dtype=np.uint64))[folded.context]
        chosen = _of_size(profile, made, structure.size)
        for name, parts in _ways(structure):
            _add(simulation, f"{number} {name}", profile, chosen, parts)
    counted = simulation.run(sample_among(profile.reaching_entries, MOST_ACCESSES), progress.simulated)
    cycles = {name: stall_cycles(counts, geometry) for name, counts in counted.items()}
    whole = cycles[RECORDED]
    if not whole:
        return []
    saved = {name: 1 - each / whole for name, each in cycles.items()}
    return [
        Saved(saved[f"{at} beside"], saved[f"{at} together"], saved.get(f"{at} split"))
        for at in range(len(structures))
    ]


def _ways(structure: Structure) -> Iterable[tuple[str, Parts]]:
    found, size = structure.arrangement, structure.size
    yield "beside", unmoved(size)
    yield "together", parts_of(found, size, 0)
    if found.kept_together:
        yield "split", parts_of(found, size, found.kept_together)


def _of_size(profile: HeapProfile, made: npt.NDArray[np.bool_], size: int) -> I64:
    """Of the requests that are made there, without those that are aligned to more than any slot is."""
    requests = profile.requests
    return np.flatnonzero(made & (requests.size == np.uint64(size)) & (requests.alignment <= GRANULE))


def _add(simulation: Simulation, name: str, profile: HeapProfile, chosen: I64, parts: Parts) -> None:
    """The chosen requests' objects in a pool each for both of their parts, one behind the other."""
    offset, second = (np.full(len(profile.requests), NO_PLACE, dtype=np.int64) for _ in range(2))
    offset[chosen], end = _pooled(profile, chosen, parts.first_bytes)
    second[chosen] = 0
    if parts.second_bytes:
        second[chosen] = _pooled(profile, chosen, parts.second_bytes)[0] + -(-end // PAGE) * PAGE
    simulation.add_moved(name, offset, second, parts.places, parts.first_bytes, parts.second_bytes)


def _pooled(profile: HeapProfile, chosen: I64, size: int) -> tuple[npt.NDArray[np.int64], int]:
    """Offsets of slots of that size, taken again when they are free, and where the pool ends."""
    requests, count = profile.requests, len(chosen)
    timeline = _native.form_timeline(
        requests.birth[chosen],
        requests.death[chosen],
        np.full(count, size, dtype=np.uint64),
        np.full(count, GRANULE, dtype=np.uint32),
        requests.accesses[chosen],
        LARGEST_SLOT,
        0,
    )
    return _native.place_in_order(timeline, np.arange(count, dtype=np.uint32), "packed", 64)
