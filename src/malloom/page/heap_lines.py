"""The heap as pages and lines: what lies in each, who asked for it, and what accesses do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom import _native
from malloom.layout.layout import NO_PLACE, Layout
from malloom.profile import NEVER, HeapProfile
from malloom.profile.requests import I64, U64

LINE, PAGE = 64, 4096
"""Bytes."""
PAGE_LINES = PAGE // LINE
MOST_PAGES = 4096
"""That are drawn: 256 Ki lines, which a browser still draws at once."""
MOST_SPOTS = 50_000
"""Places of objects that the page can name; what a reader points at is among them, or counted."""
CHUNK = 1 << 22
"""Lines that are worked on at a time: a limit of memory."""
ARENA = 1 << 63
"""Where the plan's arena begins in a map: no program has an object there."""
NOBODY = -1


@dataclass(frozen=True)
class Places:
    """An address for every request of a profile."""

    address: U64
    placed: npt.NDArray[np.bool_]
    """Per request: whether a plan says where it lies; the others lie where they were recorded."""


def recorded_places(profile: HeapProfile) -> Places:
    """Where all lay when it was recorded."""
    return Places(profile.requests.address, np.zeros(len(profile.requests), dtype=np.bool_))


def planned_places(profile: HeapProfile, layout: Layout) -> Places:
    """Where a layout has them."""
    placed = layout.offset != NO_PLACE
    arena = layout.offset.astype(np.uint64) + np.uint64(ARENA)
    return Places(np.where(placed, arena, profile.requests.address), placed)


@dataclass(frozen=True)
class LineUses:
    """What the accesses do to lines; rows are the pages that they reach, columns the lines of a page."""

    pages: U64
    """Numbers of pages (addresses by 4096), in order."""
    accesses: U64
    first: U64
    """Position of the first access in the stream, NEVER where there is none."""
    used: npt.NDArray[np.uint8]
    """Bytes of the line that an access reached."""

    @cached_property
    def lines(self) -> int:
        """Lines that an access reached."""
        return int(np.count_nonzero(self.used))

    @property
    def bytes_per_line(self) -> float:
        """Bytes that were accessed of a line that was, in the mean; 0 where none was."""
        return int(self.used.sum(dtype=np.int64)) / max(self.lines, 1)


def uses_of_lines(profile: HeapProfile, maps: Sequence[Places]) -> list[LineUses]:
    """One pass over the accesses for all maps. Memory: 3/8 of what the accesses reach, for each map."""
    columns = _native.use_of_lines(profile.accesses(), [np.ascontiguousarray(each.address) for each in maps])
    return [_in_order(*each) for each in columns]


def _in_order(pages: U64, words: U64) -> LineUses:
    order = np.argsort(pages)
    accesses, first, used = np.moveaxis(words.reshape(-1, PAGE_LINES, 3)[order], -1, 0)
    return LineUses(pages[order], accesses, first, np.bitwise_count(used))


@dataclass(frozen=True)
class Occupied:
    """The lines that objects lie in, as ranges that do not touch: of line numbers, ends excluded."""

    begin: U64
    end: U64

    @property
    def lines(self) -> int:
        return int((self.end - self.begin).sum())

    @cached_property
    def pages(self) -> U64:
        """The numbers of their pages, in order."""
        lines = np.uint64(PAGE_LINES)
        begin, end = self.begin // lines, (self.end - np.uint64(1)) // lines + np.uint64(1)
        return np.unique(ranges(begin, (end - begin).astype(np.int64)))


def occupied(profile: HeapProfile, places: Places) -> Occupied:
    """Of all objects of the run, whenever they lived."""
    first, last = _bounds(profile, places, LINE)
    order = np.argsort(first)
    first, last = first[order], np.maximum.accumulate(last[order])
    is_new = np.append(True, first[1:] > last[:-1])
    is_end = np.append(is_new[1:], True)
    return Occupied(first[is_new], last[is_end] + np.uint64(1))


def _bounds(profile: HeapProfile, places: Places, unit: int) -> tuple[U64, U64]:
    """Numbers of the first and the last line, or page, that each object lies in."""
    size = np.maximum(profile.requests.size, np.uint64(1))
    return places.address // np.uint64(unit), (places.address + size - np.uint64(1)) // np.uint64(unit)


def ranges(begin: Any, counts: I64) -> U64:
    """The numbers from each begin on, as many as its count says."""
    starts = np.cumsum(counts) - counts
    return np.repeat(begin, counts) + (np.arange(counts.sum()) - np.repeat(starts, counts)).astype(np.uint64)


@dataclass(frozen=True)
class Spots:
    """Places that objects had, alike ones as one; in bytes of the drawn pages, one page after the other."""

    begin: I64
    end: I64
    size: U64
    """Bytes, also of pages that are not drawn."""
    owner: I64
    requests: I64
    """How many objects were there, one after the other."""
    accesses: I64
    first: I64
    """Number of the first of these requests."""


@dataclass(frozen=True)
class DrawnMap:
    """What is drawn of a map. Cells are lines of the drawn pages: the first page has cells 0 to 63."""

    pages: U64
    pages_in_all: int
    spots: Spots
    spots_in_all: int
    cells: I64
    """Those that an object lies in; the columns below have an entry for each."""
    objects: I64
    owner: I64
    born: I64
    """Number of the first request that lay there."""
    accesses: I64
    first: I64
    """Position of the first access; -1: none."""
    used: I64
    """Bytes."""

    def cells_of(self, lines: U64) -> I64:
        """The cells of lines by their numbers, as far as they are drawn."""
        row = _rows(self.pages, lines // np.uint64(PAGE_LINES))
        cell = row * PAGE_LINES + (lines % np.uint64(PAGE_LINES)).astype(np.int64)
        drawn: I64 = cell[row != NOBODY]
        return drawn


def drawn_map(
    profile: HeapProfile, places: Places, pages: U64, owner: I64, uses: LineUses | None
) -> DrawnMap:
    """The map of a heap whose objects lie in these pages: of too many, those with the most accesses.

    `owner` is a number for every request, below 2^15.
    """
    drawn = _hottest(pages, uses)
    spots = _spots(profile, places, drawn, owner)
    objects = _objects(spots, len(drawn) * PAGE_LINES)
    cells = np.flatnonzero(objects)
    by_use = np.lexsort((-spots.first, spots.accesses))
    by_birth = np.argsort(-spots.first, kind="stable")
    accesses, first, used = _used(drawn, uses)
    return DrawnMap(
        pages=drawn,
        pages_in_all=len(pages),
        spots=_chosen(spots, np.sort(by_use[::-1][:MOST_SPOTS])),
        spots_in_all=len(spots.begin),
        cells=cells,
        objects=objects[cells],
        owner=_painted(spots, by_use, spots.owner, len(objects))[cells],
        born=_painted(spots, by_birth, spots.first, len(objects))[cells],
        accesses=accesses[cells],
        first=first[cells],
        used=used[cells],
    )


def _rows(pages: U64, wanted: U64) -> I64:
    """Where each page stands among pages in order, or NOBODY."""
    if not len(pages):
        return np.full(len(wanted), NOBODY, dtype=np.int64)
    row = np.minimum(np.searchsorted(pages, wanted), len(pages) - 1)
    return np.where(pages[row] == wanted, row, NOBODY)


def _hottest(pages: U64, uses: LineUses | None) -> U64:
    if len(pages) <= MOST_PAGES:
        return pages
    accesses = np.zeros(len(pages), dtype=np.int64)
    if uses is not None:
        row = _rows(uses.pages, pages)
        accesses[row != NOBODY] = uses.accesses.sum(axis=1)[row[row != NOBODY]]
    return pages[np.sort(np.argsort(-accesses, kind="stable")[:MOST_PAGES])]


def _spots(profile: HeapProfile, places: Places, drawn: U64, owner: I64) -> Spots:
    first, last = _bounds(profile, places, PAGE)
    top = np.searchsorted(drawn, first, side="left")
    bottom = np.searchsorted(drawn, last, side="right") - 1
    seen = np.flatnonzero(top <= bottom)
    first, last, top, bottom = first[seen], last[seen], top[seen], bottom[seen]
    inside = (places.address[seen] % np.uint64(PAGE)).astype(np.int64)
    size = profile.requests.size[seen]
    behind = (inside + np.maximum(size, 1).astype(np.int64) - 1) % PAGE + 1
    begin = top * PAGE + np.where(drawn[top] == first, inside, 0)
    end = bottom * PAGE + np.where(drawn[bottom] == last, behind, PAGE)
    # A key of one word, so that millions of requests are sorted fast: bytes of 4096 pages take 24 bits.
    key = (begin.astype(np.uint64) << np.uint64(40)) | (end.astype(np.uint64) << np.uint64(15))
    _, index, spot, requests = np.unique(
        key | owner[seen].astype(np.uint64), return_index=True, return_inverse=True, return_counts=True
    )
    accesses = np.bincount(spot, weights=profile.requests.accesses[seen], minlength=len(index))
    return Spots(
        begin[index],
        end[index],
        size[index],
        owner[seen][index],
        requests,
        accesses.astype(np.int64),
        seen[index],
    )


def _chosen(spots: Spots, index: npt.NDArray[np.intp]) -> Spots:
    return Spots(**{field.name: getattr(spots, field.name)[index] for field in fields(Spots)})


def _objects(spots: Spots, cells: int) -> I64:
    """How many objects lay in each cell."""
    changes = np.zeros(cells + 1, dtype=np.int64)
    np.add.at(changes, spots.begin // LINE, spots.requests)
    np.add.at(changes, (spots.end - 1) // LINE + 1, -spots.requests)
    return np.cumsum(changes[:-1])


def _painted(spots: Spots, order: npt.NDArray[np.intp], colour: I64, cells: int) -> I64:
    """Each cell has the colour of the last spot in the order that lies in it."""
    canvas = np.full(cells, NOBODY, dtype=np.int64)
    for part in _parts(spots, order):
        begin = spots.begin[part] // LINE
        counts = (spots.end[part] - 1) // LINE + 1 - begin
        # Of several values for one place the last stands.
        canvas[ranges(begin, counts).astype(np.int64)] = np.repeat(colour[part], counts)
    return canvas


def _parts(spots: Spots, order: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.intp]]:
    """The order in parts of about CHUNK lines."""
    reached = np.cumsum((spots.end[order] - spots.begin[order]) // LINE + 2)
    bounds = np.searchsorted(reached, np.arange(CHUNK, reached[-1] if len(reached) else 0, CHUNK))
    yield from (part for part in np.split(order, bounds) if len(part))


def _used(drawn: U64, uses: LineUses | None) -> tuple[I64, I64, I64]:
    """Accesses, first access and used bytes of every cell."""
    accesses, first, used = (
        np.full((len(drawn), PAGE_LINES), nothing, dtype=np.int64) for nothing in (0, -1, 0)
    )
    if uses is not None:
        row = _rows(uses.pages, drawn)
        known = row != NOBODY
        accesses[known] = uses.accesses[row[known]]
        reached = uses.first[row[known]]
        first[known] = np.where(reached == NEVER, -1, reached.astype(np.int64))
        used[known] = uses.used[row[known]]
    return accesses.ravel(), first.ravel(), used.ravel()
