"""What a visit of an object costs in cache lines: as its fields lie, brought together, and split in two.

By visits as formats/fields.def has them: fields that are used in one visit cost a line each where they lie
apart, and one together where they share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from malloom.fields.table import OTHER_SIZES, FieldTable

GRANULE = 16
"""Bytes; an object may begin at any multiple of it in a line, and each is as likely here."""
WIDEST = 8
"""Bytes: wider accesses copy or clear several fields, and are none themselves."""
SLIGHT = 1e-9
"""Lines that are no difference."""

Places = npt.NDArray[np.int64]
"""Of some fields (offset, bytes): two columns."""
Together = npt.NDArray[np.bool_]
"""Sets of visits x fields."""


@dataclass(frozen=True)
class Lines:
    """Cache lines that a visit uses in the mean, by where the object before lies."""

    apart: float
    """Objects are visited in an order in which no two lie in one line."""
    in_order: float
    """They are visited in the order in which they lie, and share lines."""


@dataclass(frozen=True)
class Arrangement:
    """What a visit costs with the fields as they are, and in other places."""

    as_it_is: Lines
    together: Lines
    """With the fields that are used most at the object's start."""
    order: tuple[int, ...]
    """Offsets of the fields in that order."""
    sizes: tuple[int, ...]
    """Bytes of each of these."""
    split: Lines
    """With the first of them in an object of their own, and the rest in another: where that costs least for
    objects in order, and for those apart no more than as it is."""
    first_part: int
    """Bytes of that object, or of all fields where no split gains."""
    kept_together: int
    """How many of `order` it has, all where only what is never used lies apart; 0: no split gains."""


def arrangement_of(table: FieldTable, kind: Any, alike: Sequence[Any] = ()) -> Arrangement | None:
    """None where no visits are known, as of a table from a file, or where the object has one size of many.
    `alike` are kinds whose objects have the same fields, and would be moved with it."""
    sets, visits, fields = _sets_of(table, kind)
    size = int(kind["size"])
    if not len(sets) or size == OTHER_SIZES:
        return None
    units, used = _units(fields, sets)
    if not len(units):
        return None
    cost = _Cost(visits, table.simulated.line_bytes)
    order = np.lexsort((units[:, 0], -(visits @ used)))
    packed = _packed(units, order)
    as_it_is, together = cost.of(units, used, size), cost.of(packed, used, size)
    has_all = all(_lie_in(units, table.fields_of(each)) for each in (kind, *alike))
    most = len(order) if has_all else len(order) - 1
    kept, split = _best_split(units, used, order, size, cost, as_it_is, together, most)
    return Arrangement(
        as_it_is=as_it_is,
        together=together,
        order=tuple(units[order, 0].tolist()),
        sizes=tuple(units[order, 1].tolist()),
        split=split,
        first_part=_bytes_of(packed[order[: kept or None]]),
        kept_together=kept,
    )


@dataclass(frozen=True)
class Parts:
    """Where the bytes of an object go: into a first object, and from its end on into a second one."""

    places: npt.NDArray[np.uint32]
    """Per byte."""
    first_bytes: int
    second_bytes: int
    """0: there is one object."""


def unmoved(size: int) -> Parts:
    return Parts(np.arange(size, dtype=np.uint32), size, 0)


def parts_of(found: Arrangement, size: int, kept: int) -> Parts:
    """With the first `kept` fields of the order in the first object, and all else in the second; 0: with all
    in one object. What is never used lies last."""
    is_split, kept = kept > 0, kept or len(found.order)
    units = np.stack([found.order, found.sizes], axis=1).astype(np.int64)
    first, rest = (_packed(part, range(len(part))) for part in (units[:kept], units[kept:]))
    end = _bytes_of(first)
    places = np.full(max(size, int(units.sum(axis=1).max())), -1, dtype=np.int64)
    for (old, count), (new, _) in zip(units[:kept], first, strict=True):
        places[old : old + count] = np.arange(new, new + count)
    for (old, count), (new, _) in zip(units[kept:], rest, strict=True):
        places[old : old + count] = end + np.arange(new, new + count)
    whole = end + (_bytes_of(rest) if len(rest) else 0)
    unused = np.flatnonzero(places < 0)
    places[unused] = whole + np.arange(len(unused))
    whole += len(unused)
    first_bytes = end if is_split else whole
    return Parts(places.astype(np.uint32), first_bytes, whole - first_bytes)


def _sets_of(table: FieldTable, kind: Any) -> tuple[Together, Any, Places]:
    """Sets of fields that were used in one visit, how many visits had each, and the fields."""
    fields = table.fields_of(kind)
    fields = fields[fields["visits"] > 0]
    sets = table.sets_of(kind)
    bits = np.arange(len(fields), dtype=np.uint64)
    told = (sets["fields"][:, None] >> bits & np.uint64(1)).astype(np.bool_)
    places = np.stack([fields["offset"], fields["bytes"]], axis=1).astype(np.int64)
    return told, sets["visits"].astype(np.float64), places


def _units(fields: Places, sets: Together) -> tuple[Places, Together]:
    """What can be moved: fields that do not overlap, joined where they do; and which each visit uses.

    An access to several of them uses each.
    """
    narrow = fields[fields[:, 1] <= WIDEST]
    units: list[list[int]] = []
    for start, size in narrow[np.argsort(narrow[:, 0], kind="stable")].tolist():
        if units and start < units[-1][0] + units[-1][1]:
            units[-1][1] = max(units[-1][1], start + size - units[-1][0])
        else:
            units.append([start, size])
    found = np.array(units, dtype=np.int64).reshape(-1, 2)
    ends, field_ends = found.sum(axis=1), fields.sum(axis=1)
    overlap = (fields[:, None, 0] < ends[None]) & (field_ends[:, None] > found[None, :, 0])
    return found, (sets.astype(np.int64) @ overlap.astype(np.int64)) > 0


def _lie_in(units: Places, fields: Any) -> bool:
    """Whether all bytes that are used are those of the units: wide accesses, and fields of which visits are
    not told, may reach others."""
    used = fields[fields["loads"] + fields["stores"] > 0]
    end = int((used["offset"] + used["bytes"]).max(initial=0))
    within = np.zeros(max(end, int(units.sum(axis=1).max())), dtype=np.bool_)
    for start, size in units.tolist():
        within[start : start + size] = True
    reached = zip(used["offset"].tolist(), used["bytes"].tolist(), strict=True)
    return all(within[start : start + size].all() for start, size in reached)


def _packed(units: Places, order: Any) -> Places:
    """The units one behind the other in this order, each where its size divides its offset."""
    packed, end = units.copy(), 0
    for unit in order:
        alignment = _alignment(int(units[unit, 1]))
        packed[unit, 0] = -(-end // alignment) * alignment
        end = int(packed[unit].sum())
    return packed


def _alignment(size: int) -> int:
    return next((each for each in (8, 4, 2) if size % each == 0), 1)


def _bytes_of(packed: Places) -> int:
    return int(packed.sum(axis=1).max())


@dataclass(frozen=True)
class _Cost:
    """Of visits on a machine with lines of so many bytes."""

    visits: Any
    """How many each set of fields has."""
    line: int

    def of(self, units: Places, used: Together, size: int) -> Lines:
        """Of objects of `size` bytes with the units at these places."""
        apart = self._apart(units, used)
        touched = float(self.visits @ used.any(axis=1)) / float(self.visits.sum())
        room = -(-size // GRANULE) * GRANULE
        return Lines(apart, min(apart, touched * room / self.line))

    def _apart(self, units: Places, used: Together) -> float:
        """Over all places where an object may begin in a line."""
        total, starts = 0.0, range(0, self.line, GRANULE)
        for start in starts:
            first = (units[:, 0] + start) // self.line
            last = (units.sum(axis=1) - 1 + start) // self.line
            for number in range(int(first.min()), int(last.max()) + 1):
                here = (first <= number) & (last >= number)
                total += float(self.visits @ used[:, here].any(axis=1))
        return total / len(starts) / float(self.visits.sum())


def _best_split(
    units: Places,
    used: Together,
    order: Any,
    size: int,
    cost: _Cost,
    as_it_is: Lines,
    together: Lines,
    most_kept: int,
) -> tuple[int, Lines]:
    """How many of `order` the first object has, at most `most_kept`, and the lines of a visit then; 0 where
    no split gains."""
    packed, most = _packed(units, order), as_it_is.apart + SLIGHT
    best, found = 0, together
    for kept in range(1, most_kept + 1):
        first, rest = order[:kept], order[kept:]
        bytes_of_first = _bytes_of(packed[first])
        parts = [cost.of(packed[first], used[:, first], bytes_of_first)]
        if len(rest):
            behind = _packed(units[rest], range(len(rest)))
            parts.append(cost.of(behind, used[:, rest], max(size - bytes_of_first, 1)))
        lines = Lines(sum(each.apart for each in parts), sum(each.in_order for each in parts))
        if lines.apart <= most and lines.in_order < found.in_order - SLIGHT:
            best, found = kept, lines
    return best, found
