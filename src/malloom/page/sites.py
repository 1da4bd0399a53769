"""What the page knows of each call site: a chain of calls with all its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from malloom.cache.geometry import Geometry
from malloom.cache.simulate import WHOLE, Sample, sample_among
from malloom.errors import CommandError
from malloom.fields.named import kind_types
from malloom.fields.table import FieldTable, field_table
from malloom.layout.ranking import SILENT, RankingProgress
from malloom.page.gains import LEFT_OUT as GAINS_LEFT_OUT
from malloom.page.gains import MOST_REQUESTS, Gains, gains_of
from malloom.page.objects import PageObject, Saving, objects_of
from malloom.predictions.fields import Saved, Structure, saved_by_moving
from malloom.profile import HeapProfile
from malloom.profile.timeline import Timeline, timeline_of
from malloom.report.chains import chain_text, told_apart, without_libraries_own
from malloom.report.context_rows import ContextRow, Totals, summarize
from malloom.report.names import count_of_program, short_name
from malloom.report.symbols import Place, Symbols

NAME_ROOM = 80
"""Columns of a site's name."""
MOST_ACCESSES, MOST_AMONG_MANY = 256_000_000, 8_000_000
"""That are looked at: limits of cost, some two minutes and 4 GiB. Among MANY_SITES each access touches what
is known of its field in no cache."""
MANY_SITES = 10_000
DEEPEST = 32
"""Frames of a context, at most: as many as are recorded."""


@dataclass(frozen=True)
class PageSite:
    """One context. None: the recording does not tell."""

    name: str
    frames: list[int]
    """Indexes into Page.frames, innermost first."""
    requests: int
    bytes: int
    live_peak: int
    at_peak: int
    """Bytes that lived when the whole process had most."""
    lifetime: int | None
    to_end: float | None
    accessed: float | None
    loads: int | None
    stores: int | None
    first_misses: int | None
    misses: int | None
    """Of the last level."""
    exposed: int | None
    """Those of them that a hardware prefetcher does not hide: it knows no order in which they come."""
    gain: float | None
    """Of all waiting for heap objects as recorded, what Contents.gains saves here."""


@dataclass(frozen=True)
class PageFrame:
    """A call of a chain."""

    function: str
    """Short."""
    full: str
    file: str
    line: int
    inlined: bool


@dataclass(frozen=True)
class Contents:
    """All that the page shows of one process."""

    totals: Totals
    sites: list[PageSite]
    """Those with the most bytes first."""
    frames: list[PageFrame]
    timeline: Timeline
    """Its contexts are indexes into `sites`."""
    objects: list[PageObject]
    """Empty without accesses."""
    gains: Gains | None
    notes: list[str]


def contents_of(profile: HeapProfile, geometry: Geometry, progress: RankingProgress = SILENT) -> Contents:
    """One pass over the accesses for misses and one for lifetimes, as far as there are accesses; and some for
    what placing would gain."""
    # Contexts of one hash are one site, as of a library that was loaded twice.
    profile = profile.folded(DEEPEST)
    sample = _sample_of(profile)
    totals, rows = summarize(profile, with_accesses=not sample.take)
    rows.sort(key=lambda row: (-row.bytes, row.context))
    timeline = timeline_of(profile.requests, len(profile.contexts))
    chains = [profile.contexts.frames(row.context) for row in rows]
    symbols = Symbols(profile.modules)
    places = symbols.places(frame for chain in chains for frame in chain)
    table = field_table(profile, geometry, DEEPEST, sample)[0] if profile.access_entries else None
    used = _used(table) if table is not None else {}
    found = gains_of(profile, geometry, progress) if not sample.take else GAINS_LEFT_OUT
    gains = found if isinstance(found, Gains) else None
    numbers: dict[Place, int] = {}
    sites, known = [], []
    for row, chain in zip(rows, chains, strict=True):
        all_places = [place for frame in chain for place in places[frame]]
        frames = [numbers.setdefault(place, len(numbers)) for place in all_places]
        known.append(_own(all_places))
        sites.append(_site(row, known[-1], frames, timeline, used, gains))
    # A row of objects has no tree around it that says which of several sites of one name it is of.
    names = [" ".join(lines) for lines in told_apart(known, NAME_ROOM)]
    index = {row.context: at for at, row in enumerate(rows)}
    return Contents(
        totals,
        sites,
        [_frame(place) for place in numbers],
        Timeline(
            timeline.moments,
            [index[context] for context in timeline.contexts],
            timeline.live,
            timeline.peak_moment,
            timeline.peak_bytes,
            {index[context]: count for context, count in timeline.at_peak.items()},
        ),
        _objects(
            table,
            {row.hash: (name, at) for at, (row, name) in enumerate(zip(rows, names, strict=True))},
            _saving(profile, geometry, sample, progress),
        ),
        gains,
        [*symbols.notes, *_left_out(sample, profile), *([found] if isinstance(found, str) else [])],
    )


def _sample_of(profile: HeapProfile) -> Sample:
    most = MOST_ACCESSES if len(profile.contexts) < MANY_SITES else MOST_AMONG_MANY
    found = sample_among(profile.access_entries, most)
    return found if found.skip else WHOLE


def _left_out(sample: Sample, profile: HeapProfile) -> list[str]:
    if not sample.take:
        return []
    return [
        f"loads, stores and misses are those of a sample: windows with one of {sample.every:.1f} of the "
        f"{profile.access_entries:,} accesses"
    ]


def _objects(
    table: FieldTable | None, site_of: dict[int, tuple[str, int]], saving: Saving
) -> list[PageObject]:
    if table is None:
        return []
    with kind_types(table) as types:
        return objects_of(table, types, site_of, saving)


def _saving(profile: HeapProfile, geometry: Geometry, sample: Sample, progress: RankingProgress) -> Saving:
    """Nothing where that takes longer than all else that the page shows, as another pass over accesses of
    which a sample is looked at."""

    def saved(structures: Sequence[Structure]) -> list[Saved]:
        if sample.take or len(profile.requests) > MOST_REQUESTS:
            return []
        try:
            return saved_by_moving(profile, geometry, structures, DEEPEST, progress)
        except CommandError:  # too large to be simulated, which the note on gains says too
            return []

    return saved


def _used(table: FieldTable) -> dict[int, tuple[int, ...]]:
    """Of each context, by its hash: loads, stores, misses of the first and of the last level, hidden ones."""
    columns = [
        _summed(table, name) for name in ("loads", "stores", "first_misses", "last_misses", "hidden_misses")
    ]
    return {
        context.hash: tuple(int(column[at]) for column in columns)
        for at, context in enumerate(table.sites.contexts)
    }


def _summed(table: FieldTable, name: str) -> list[float]:
    found: list[float] = np.bincount(
        table.kinds["context"], weights=table.kinds[name], minlength=len(table.sites.contexts)
    ).tolist()
    return found


def _site(
    row: ContextRow,
    own: list[Place],
    frames: list[int],
    timeline: Timeline,
    used: dict[int, tuple[int, ...]],
    gains: Gains | None,
) -> PageSite:
    loads, stores, first, last, hidden = used.get(row.hash, (0,) * 5) if used else (None,) * 5
    return PageSite(
        name=chain_text(own, NAME_ROOM),
        frames=frames,
        requests=row.requests,
        bytes=row.bytes,
        live_peak=row.live_peak,
        at_peak=timeline.at_peak.get(row.context, 0),
        lifetime=row.median_lifetime,
        to_end=row.to_end,
        accessed=row.accessed,
        loads=loads,
        stores=stores,
        first_misses=first,
        misses=last,
        exposed=None if last is None or hidden is None else last - hidden,
        gain=None if gains is None else float(gains.of_context[row.context]),
    )


def _own(places: list[Place]) -> list[Place]:
    """Without what a language's library calls in itself, and what the C library calls before main."""
    return without_libraries_own(places[: count_of_program([place.function for place in places])])


def _frame(place: Place) -> PageFrame:
    name = place.function or str(place)
    return PageFrame(short_name(name), name, place.file, place.line, place.inlined)
