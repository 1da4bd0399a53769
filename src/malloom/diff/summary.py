"""What a recording is compared by: numbers for each call site, with keys that survive a rebuild."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malloom.cache.geometry import Geometry
from malloom.errors import CommandError
from malloom.fields.table import FieldTable, field_table
from malloom.profile import HeapProfile
from malloom.report.context_rows import ContextRow, Totals, summarize
from malloom.report.reasons import check_not_empty, gaps, other_notes
from malloom.sites.recorded import chains_of, site_table
from malloom.sites.table import KeyedContext, SiteTable

MEASURES = ("requests", "bytes", "live_peak", "lifetime", "accesses", "misses")
"""Fields of Numbers."""


@dataclass(frozen=True)
class Numbers:
    """What a call site's objects did, or all of them. None: the recording does not tell."""

    requests: int
    bytes: int
    """Asked for, over the whole run."""
    live_peak: int
    """Most bytes that lived at once."""
    lifetime: int | None
    """Median, in allocation events; of those that were released. Of all objects together it is None."""
    accesses: int | None
    """Loads and stores."""
    misses: int | None
    """Of the last simulated level, those that a hardware prefetcher hides included."""

    def measure(self, name: str) -> int | None:
        """One of MEASURES."""
        found: int | None = getattr(self, name)
        return found


@dataclass(frozen=True)
class Summary:
    """One process."""

    source: str
    """The file that it was read from."""
    executable: str
    build_id: str
    arguments: tuple[str, ...]
    depth: int
    """Frames of a context, at most."""
    geometry: str
    """Whose misses were counted; empty where none were."""
    are_exact: bool
    """Whether every access was recorded, so that a second recording gives the same numbers."""
    is_cut: bool
    """Whether a part of the run is missing."""
    gaps: tuple[str, ...]
    """What the recording has only a part of."""
    totals: Numbers
    sites: SiteTable
    """Contexts, keyed; in the order of `numbers`."""
    numbers: tuple[Numbers, ...]
    is_counted: bool = False
    """Whether it is of a table or a fleet, in which depth and geometry are what they were."""

    @property
    def name(self) -> str:
        """Of the program, for people."""
        return Path(self.executable).name or "the program"

    @property
    def contexts(self) -> tuple[KeyedContext, ...]:
        return self.sites.contexts


def summarize_profile(
    path: Path, process: str | None, geometry: Geometry, depth: int
) -> tuple[Summary, list[str]]:
    """The summary of one process of a profile, and notes: what a report says of it that is no gap, as that
    there are other processes, and which keys it lacks.

    Two passes over the accesses, where there are any. Raises CommandError with the reason where it would be
    empty.
    """
    profile = HeapProfile.open(path, process)
    check_not_empty(profile)
    folded = profile.folded(depth)
    totals, rows = summarize(folded)
    sites, notes, misses = _sites(profile, folded, geometry, depth)
    of_hash = {row.hash: row for row in rows}
    known = tuple(context for context in sites.contexts if context.hash in of_hash)
    return (
        Summary(
            source=str(path),
            executable=profile.process.executable,
            build_id=profile.process.build_id,
            arguments=tuple(profile.process.arguments),
            depth=depth,
            geometry=geometry.name if misses else "",
            are_exact=profile.has_all_accesses,
            is_cut=bool(profile.cut),
            gaps=tuple(gaps(profile)),
            totals=_of_all(totals, sum(misses.values()) if misses else None),
            sites=SiteTable(sites.modules, sites.frames, known, sites.unknown_contexts),
            numbers=tuple(_numbers(of_hash[context.hash], misses) for context in known),
        ),
        [*(f"{path}: {note}" for note in other_notes(profile)), *notes],
    )


def _sites(
    profile: HeapProfile, folded: HeapProfile, geometry: Geometry, depth: int
) -> tuple[SiteTable, list[str], dict[int, int]]:
    """The keyed contexts, notes on keys that are missing, and the misses of each context, by its hash; none
    where no accesses were recorded."""
    if not profile.access_entries:
        chains = chains_of(folded.contexts, folded.requests.context, folded.requests.size)
        return *site_table(profile.modules, chains), {}
    table, notes = field_table(profile, geometry, depth)
    return table.sites, notes, misses_by_context(table)


def misses_by_context(table: FieldTable) -> dict[int, int]:
    """Misses of the last level by the context's hash."""
    of_context = np.bincount(
        table.kinds["context"], weights=table.kinds["last_misses"], minlength=len(table.sites.contexts)
    )
    return {context.hash: int(count) for context, count in zip(table.sites.contexts, of_context, strict=True)}


def _of_all(totals: Totals, misses: int | None) -> Numbers:
    return Numbers(totals.requests, totals.bytes, totals.live_peak, None, totals.accesses, misses)


def _numbers(row: ContextRow, misses: dict[int, int]) -> Numbers:
    return Numbers(
        requests=row.requests,
        bytes=row.bytes,
        live_peak=row.live_peak,
        lifetime=row.median_lifetime,
        accesses=row.accesses,
        misses=misses.get(row.hash, 0) if misses else None,
    )


def check_alike(first: Summary, second: Summary) -> None:
    """Raises CommandError where their numbers cannot be compared."""
    # A profile can be counted as the other was.
    wanted = first if first.is_counted else second
    if first.depth != second.depth:
        raise CommandError(
            f"{second.source} has contexts of {second.depth} frames, {first.source} of {first.depth}",
            remedy=_remedy(first, second, f"compare with --depth {wanted.depth}"),
        )
    if first.geometry and second.geometry and first.geometry != second.geometry:
        raise CommandError(
            f"{second.source} has the misses of {second.geometry}, {first.source} those of {first.geometry}",
            remedy=_remedy(first, second, f"compare with --cache {wanted.geometry}"),
        )


def _remedy(first: Summary, second: Summary, counted_anew: str) -> str:
    both_are = first.is_counted and second.is_counted
    return "make both alike, from recordings of one depth and cache" if both_are else counted_anew
