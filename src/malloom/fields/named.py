"""The fields of a kind of objects with their names, and those of an array's elements as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from malloom.fields.table import OTHER_SIZES, FieldTable, Rows
from malloom.types.members import Member
from malloom.types.object_types import ObjectType, ObjectTypes

COUNTS = ("visits", "loads", "stores", "first_misses", "last_misses", "hidden_misses")


@dataclass(frozen=True)
class NamedFields:
    """The fields of one kind as they are shown."""

    rows: Rows
    """As formats/fields.def has them. Of an array of structures, offsets are within the element, and each row
    is the sum over the elements: its visits are those of elements."""
    names: list[str]
    """Empty texts where the type has no field there, or none is known."""
    elements: int
    """How many elements were summed up; 1: the object is no array."""


class KindTypes:
    """Types of the kinds of a table."""

    def __init__(self, table: FieldTable, types: ObjectTypes) -> None:
        self._table = table
        self._types = types

    def of(self, kind: Any) -> ObjectType | None:
        """None where nothing tells."""
        size = int(kind["size"])
        frames = self._table.sites.contexts[int(kind["context"])].frames
        return self._types.of(frames, None if size == OTHER_SIZES else size)


@contextmanager
def kind_types(table: FieldTable) -> Iterator[KindTypes]:
    """While files with debug information are open."""
    with ObjectTypes(table.sites) as types:
        yield KindTypes(table, types)


def named_fields(table: FieldTable, kind: Any, known: ObjectType | None) -> NamedFields:
    """The fields of a kind whose objects are of this type."""
    fields, size = table.fields_of(kind), int(kind["size"])
    if known is None or not known.members:
        return NamedFields(fields, [""] * len(fields), 1)
    elements = known.elements(size) if size != OTHER_SIZES else 1
    if elements > 1:
        fields, _ = summed(fields, fields["offset"] % known.size)
    return NamedFields(fields, [name_at(known, field) for field in fields], elements)


def summed(fields: Rows, offset: Any) -> tuple[Rows, Any]:
    """Fields at these offsets, those of one offset and width as one; and which row each became."""
    keys = np.stack([offset, fields["bytes"]], axis=1)
    found, inverse = np.unique(keys, axis=0, return_inverse=True)
    of_field = inverse.reshape(-1)
    rows = np.zeros(len(found), dtype=fields.dtype)
    rows["offset"], rows["bytes"] = found[:, 0], found[:, 1]
    for name in COUNTS:
        np.add.at(rows[name], of_field, fields[name])
    return rows, of_field


def name_at(known: ObjectType | None, field: Any) -> str:
    """The name of a field of an object that is one or several of this type; empty where it has none."""
    if known is None or not known.members:
        return ""
    offset = int(field["offset"])
    element, start = (0, offset) if known.has_more else divmod(offset, known.size)
    name = _name(known.members, start, start + int(field["bytes"]))
    return f"[{element}].{name}" if element and name else name


def _name(members: tuple[Member, ...], start: int, end: int) -> str:
    """Of what an access reaches: one field or a part of it, or the first and the last of several."""
    reached = [member for member in members if member.offset < end and start < member.offset + member.size]
    if not reached:
        return ""
    first, last = reached[0], reached[-1]
    if len(reached) > 1:
        return f"{first.name} to {last.name}"
    return first.name if start == first.offset else f"{first.name}+{start - first.offset}"
