"""From a profile to its table of fields (formats/fields.def)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native, formats
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import WHOLE, Sample
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, U32, U64
from malloom.sites.recorded import chains_of, site_table
from malloom.sites.table import SiteTable

OTHER_SIZES = 2**64 - 1
"""Size of a kind that stands for all sizes of its context that are not told apart."""

Rows = npt.NDArray[Any]

SET = np.dtype([("kind", "u8"), ("fields", "u8"), ("visits", "u8")])
"""Visits in which the same fields were used: bit i is the kind's i-th field among those that have visits."""


@dataclass(frozen=True)
class Simulated:
    """The machine whose misses are counted."""

    geometry: str
    levels: int
    line_bytes: int
    first_level_bytes: int
    last_level_bytes: int


@dataclass(frozen=True)
class FieldTable:
    """The whole table; kinds, fields and pairs are structured arrays as formats/fields.def defines them."""

    program: int
    profile_created: int
    flags: int
    depth: int
    simulated: Simulated
    accesses: int
    unattributed: int
    sites: SiteTable
    kinds: Rows
    fields: Rows
    pairs: Rows
    sets: Rows = field(default_factory=lambda: np.zeros(0, dtype=SET))
    """By kind (SET); none in a table that was read from a file, which does not have them."""

    def has_flag(self, flag: str) -> bool:
        """Whether it has a FieldsFlag, by name."""
        return bool(self.flags & formats.load("fields").enums["FieldsFlag"][flag])

    def fields_of(self, kind: Any) -> Rows:
        first = int(kind["first_field"])
        return self.fields[first : first + int(kind["fields"])]

    def pairs_of(self, kind: Any) -> Rows:
        first = int(kind["first_pair"])
        return self.pairs[first : first + int(kind["pairs"])]

    def sets_of(self, kind: Any) -> Rows:
        """Those of a kind of this table."""
        if not len(self.sets) or not kind["fields"]:
            return self.sets[:0]
        number = int(np.searchsorted(self.kinds["first_field"], kind["first_field"], side="right")) - 1
        first, end = np.searchsorted(self.sets["kind"], [number, number + 1])
        return self.sets[first:end]


def field_table(
    profile: HeapProfile, geometry: Geometry, depth: int, sample: Sample = WHOLE
) -> tuple[FieldTable, list[str]]:
    """The table of all accesses, or of a sample, by contexts of so many frames; and notes on missing keys.

    One pass over the accesses. Memory: 4 bytes a request, the simulated caches, and what the format's limits
    allow.
    """
    folded = profile.folded(depth)
    sizes, context_of_kind, kind_of_request = kinds_of(folded.requests.context, folded.requests.size)
    kinds, fields, pairs, accesses, unattributed, sets = _native.count_fields(
        profile.sampled_accesses(sample.skip, sample.take) if sample.take else profile.accesses(),
        profile.requests.address,
        profile.requests.size,
        kind_of_request,
        len(sizes),
        [(level.sets, level.ways, level.line_bytes) for level in geometry.caches],
        [(level.sets, level.ways, level.line_bytes) for level in geometry.tlbs],
        geometry.replacement,
        sample.take > 0,
    )
    rows = np.frombuffer(kinds, dtype=formats.dtype("fields", "Kind")).copy()
    rows["size"], rows["context"] = sizes, context_of_kind
    rows["requests"] = np.bincount(kind_of_request, minlength=len(sizes))
    chains = chains_of(folded.contexts, folded.requests.context, folded.requests.size)
    sites, notes = site_table(profile.modules, chains)
    made = FieldTable(
        program=program_hash(profile),
        profile_created=profile.created,
        flags=_flags(profile),
        depth=depth,
        simulated=_simulated(geometry),
        accesses=accesses,
        unattributed=unattributed,
        sites=sites,
        kinds=rows,
        fields=np.frombuffer(fields, dtype=formats.dtype("fields", "Field")),
        pairs=np.frombuffer(pairs, dtype=formats.dtype("fields", "Pair")),
        sets=np.sort(np.frombuffer(sets, dtype=SET), order=["kind", "fields"]),
    )
    return made, notes


def kinds_of(context: U32, size: U64) -> tuple[U64, U32, U32]:
    """Of each kind its size and context, and of each request its kind.

    A context's sizes beyond the limit, those with the fewest requests, are one kind.
    """
    most = formats.load("fields").limits["most_sizes"]
    of_context, sizes, of_request, counts = _pairs(context, size)
    order = np.lexsort((-counts, of_context))
    starts = np.searchsorted(of_context[order], of_context[order], side="left")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - starts
    told = np.where(rank < most, sizes, np.uint64(OTHER_SIZES))
    of_kind, sizes, of_found, _ = _pairs(of_context, told)
    return sizes, of_kind, of_found.astype(np.uint32)[of_request]


def _pairs(context: U32, size: U64) -> tuple[U32, U64, I64, I64]:
    """The pairs of context and size that there are, in order; which of them each has, and how many have it.

    A pair is one number, as those are sorted in a tenth of the time that records take.
    """
    sizes, of_size = np.unique(size, return_inverse=True)
    each = np.uint64(max(len(sizes), 1))
    keys = context.astype(np.uint64) * each + of_size.astype(np.uint64)
    found, of_pair, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return (found // each).astype(np.uint32), sizes[found % each], of_pair, counts


def program_hash(profile: HeapProfile) -> int:
    """The hash of the executable's module; 0 where the profile does not tell."""
    return next((each.hash for each in profile.modules if each.path == profile.process.executable), 0)


def _flags(profile: HeapProfile) -> int:
    bits = formats.load("fields").enums["FieldsFlag"]
    partly = profile.process.accesses in ("sampled", "annotated")
    return (bits["sampled"] if partly else 0) | (bits["cut"] if profile.cut else 0)


def _simulated(geometry: Geometry) -> Simulated:
    first, last = geometry.caches[0], geometry.caches[-1]
    return Simulated(geometry.name, len(geometry.caches), first.line_bytes, first.size_bytes, last.size_bytes)
