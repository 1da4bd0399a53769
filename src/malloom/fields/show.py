"""The table of fields for people and for machines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from malloom.fields.named import KindTypes, NamedFields, name_at, named_fields
from malloom.fields.table import OTHER_SIZES, FieldTable, Rows
from malloom.printable import printable
from malloom.quantities import counted, format_size
from malloom.report.names import demangle, is_of_library, short_name
from malloom.sites.keys import Call, Site
from malloom.sites.table import KeyedContext
from malloom.types.object_types import ObjectType

COMPANIONS = 4
"""Fields that are named beside one as used with it, those with the most common visits."""
SHOWN_FIELDS = 24
"""Of a kind; those that were used most."""
BELOW = 6
"""Columns before what has no room beside its numbers."""
HEADINGS = ("offset", "bytes", "loads", "stores", "visits", "first misses", "last misses", "hidden")


def as_object(table: FieldTable, notes: list[str], types: KindTypes) -> dict[str, Any]:
    """The table for machines; hashes are hexadecimal texts, as they do not fit a double."""
    simulated = table.simulated
    return {
        "program": f"{table.program:016x}",
        "depth": table.depth,
        "sampled": table.has_flag("sampled"),
        "cut": table.has_flag("cut"),
        "rebased": table.has_flag("rebased"),
        "accesses": table.accesses,
        "unattributed": table.unattributed,
        "machine": {
            "name": simulated.geometry,
            "levels": simulated.levels,
            "line_bytes": simulated.line_bytes,
            "first_level_bytes": simulated.first_level_bytes,
            "last_level_bytes": simulated.last_level_bytes,
        },
        "kinds": [_kind_object(table, kind, types.of(kind)) for kind in by_misses(table)],
        "notes": notes,
    }


def by_misses(table: FieldTable) -> Rows:
    """The kinds that were used, those with the most misses first."""
    used = table.kinds[table.kinds["loads"] + table.kinds["stores"] != 0]
    falling = [-used[name].astype(np.int64) for name in ("loads", "last_misses", "first_misses")]
    ordered: Rows = used[np.lexsort(falling)]
    return ordered


def _kind_object(table: FieldTable, kind: Any, known: ObjectType | None) -> dict[str, Any]:
    context = table.sites.contexts[int(kind["context"])]
    size = int(kind["size"])
    return {
        "context": f"{context.hash:016x}",
        "sites": [_site_object(table.sites.frames[frame].site) for frame in context.frames],
        "size": None if size == OTHER_SIZES else size,
        "type": type_object(known),
        **_counts(
            kind, ("requests", "visits", "loads", "stores", "first_misses", "last_misses", "hidden_misses")
        ),
        "fields": [
            {**_counts(field, field.dtype.names), "name": name_at(known, field)}
            for field in table.fields_of(kind)
        ],
        "together": [_counts(pair, pair.dtype.names) for pair in table.pairs_of(kind)],
    }


def type_object(known: ObjectType | None) -> dict[str, Any] | None:
    """A type for machines."""
    if known is None:
        return None
    at = _call_object(known.at)
    return {"name": known.name, "size": known.size, "is_sure": known.is_sure, "how": known.how, "at": at}


def _site_object(site: Site) -> dict[str, Any]:
    return {
        "offset": site.offset,
        "callee": site.callee,
        "calls": [_call_object(call) for call in site.calls],
        "twins": site.twins,
    }


def _call_object(call: Call) -> dict[str, Any]:
    return {
        "function": call.function,
        "file": call.file,
        "line": call.line,
        "column": call.column,
        "function_line": call.function_line,
    }


def _counts(row: Any, names: tuple[str, ...]) -> dict[str, int]:
    return {name: int(row[name]) for name in names}


def as_text(table: FieldTable, top: int, types: KindTypes, width: int) -> Iterator[str]:
    """Lines of so many columns, words that are longer but for: what was simulated, then a block for each
    kind; `top` 0 shows all kinds."""
    for line in _lines(table, top, types, width):
        yield from _wrapped(line, width)


def _wrapped(line: str, width: int) -> list[str]:
    """What goes on is indented one step more than the line."""
    if len(line) <= width:
        return [line]
    begin = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        width,
        initial_indent=begin,
        subsequent_indent=begin + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _lines(table: FieldTable, top: int, types: KindTypes, width: int) -> Iterator[str]:
    simulated = table.simulated
    yield (
        f"{counted(table.accesses, 'access', 'es')} to objects, {table.unattributed:,} of them at no field; "
        f"misses of {simulated.geometry}: first level {format_size(simulated.first_level_bytes)}, "
        f"last {format_size(simulated.last_level_bytes)}"
    )
    kinds = by_misses(table)
    for kind in kinds[: top or None]:
        yield ""
        yield from _kind_lines(table, kind, types.of(kind), width)
    if top and len(kinds) > top:
        yield ""
        yield f"{counted(len(kinds) - top, 'more kind')} of objects ('--top 0' shows all)"


def _kind_lines(table: FieldTable, kind: Any, known: ObjectType | None, width: int) -> Iterator[str]:
    size = int(kind["size"])
    what = "objects of further sizes" if size == OTHER_SIZES else f"objects of {counted(size, 'byte')}"
    yield printable(f"{chain_text(table, table.sites.contexts[int(kind['context'])])}: {what}")
    named = named_fields(table, kind, known)
    if known is not None:
        yield printable(f"  {described(known, named.elements)}")
    yield (
        f"  {counted(int(kind['requests']), 'request')}, {counted(int(kind['visits']), 'visit')}, "
        f"{int(kind['last_misses']):,} misses of the last level ({int(kind['hidden_misses']):,} hidden)"
    )
    yield from _field_lines(table, kind, named, width)


def described(known: ObjectType, elements: int) -> str:
    """The type in a sentence: with a question mark where it is a guess."""
    whole = f"{counted(elements, 'element')} of {known.marked}" if elements > 1 else known.marked
    return f"{whole}, by {known.how}" if known.is_sure else f"{whole}, a guess: {known.how}"


def _field_lines(table: FieldTable, kind: Any, named: NamedFields, width: int) -> Iterator[str]:
    """A row for each field; where it is too long, what stands behind the numbers has a line of its own."""
    shown = most_used(named.rows)
    rows = [HEADINGS, *(_cells(named.rows[number]) for number in shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    names = ["field", *(named.names[number] for number in shown)] if any(named.names) else [""] * len(rows)
    longest = max(map(len, names))
    companions = _companions(table, kind, named)
    together = ["used with" if any(companions) else "", *(companions[number] for number in shown)]
    cells = ["  " + "  ".join(map(str.rjust, row, widths)) for row in rows]
    fits = len(cells[0]) + 2 + longest + 2 + max(map(len, together)) <= width
    for row, name, text in zip(cells, names, together, strict=True):
        beside = [f"{name:<{longest}}", text] if fits else [name, text]
        words = "  ".join(filter(None, beside)).rstrip()
        yield from [printable(f"{row}  {words}".rstrip())] if fits else _two_lines(row, printable(words))
    if len(named.rows) > len(shown):
        yield f"  {counted(len(named.rows) - len(shown), 'more field')}"


def _two_lines(row: str, words: str) -> list[str]:
    return [row, " " * BELOW + words] if words else [row]


def most_used(fields: Rows) -> list[int]:
    """Numbers of the fields that are shown, in their order."""
    used = (fields["loads"] + fields["stores"]).astype(np.int64)
    return sorted(np.argsort(-used, kind="stable")[:SHOWN_FIELDS].tolist())


def _cells(field: Any) -> tuple[str, ...]:
    """What HEADINGS name."""
    names = ("offset", "bytes", "loads", "stores", "visits", "first_misses", "last_misses", "hidden_misses")
    return tuple(f"{int(field[name]):,}" for name in names)


def _companions(table: FieldTable, kind: Any, named: NamedFields) -> list[str]:
    """Of each field those that are used in the same visits, as offset:bytes, with their share of its
    visits. None of fields of elements, as visits are those of whole objects."""
    fields = named.rows
    found: list[list[tuple[int, int]]] = [[] for _ in fields]
    for pair in table.pairs_of(kind) if named.elements == 1 else ():
        first, second, visits = (int(number) for number in pair)
        found[first].append((visits, second))
        found[second].append((visits, first))
    return [
        ", ".join(
            f"{fields[other]['offset']}:{fields[other]['bytes']} {visits / max(int(field['visits']), 1):.0%}"
            for visits, other in sorted(companions, key=lambda each: (-each[0], each[1]))[:COMPANIONS]
        )
        for field, companions in zip(fields, found, strict=True)
    ]


def chain_text(table: FieldTable, context: KeyedContext) -> str:
    """The call sites of a context, callers to the right."""
    calls = [call for frame in context.frames for call in table.sites.frames[frame].site.calls]
    names = [replace(call, function=short_name(demangle(call.function))) for call in calls]
    own = [str(call) for call in names if call.line and not is_of_library(call.function, call.file)]
    return " < ".join(own) or table.sites.name(context)
