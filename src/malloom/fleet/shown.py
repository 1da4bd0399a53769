"""A fleet for people, and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from malloom.diff.names import calls_of, names_of
from malloom.fleet.origin import Build, Origin
from malloom.fleet.reading import Rows, median_lifetime, read_rows
from malloom.fleet.tables import LIFETIMES
from malloom.layout.plan_shown import SHORT_ID
from malloom.printable import printable
from malloom.quantities import counted
from malloom.report.text import bytes_text

HEADINGS = ("requests", "bytes", "live peak", "lifetime", "never", "accesses", "tables")
COLUMNS = ("live_peak", *LIFETIMES, "never", "accesses", "accessed", "kinds", "fields", "co_use")


def read_shown(path: Path, sort: str, top: int, depth: int) -> Rows:
    """What is shown of a table or fleet: `top` contexts, 0: all, by `sort`."""
    return read_rows(path, COLUMNS, ("tables", "variants"), order=sort, top=top, depth=depth)


def as_object(path: Path, read: Rows) -> dict[str, Any]:
    """One JSON object; hashes are hexadecimal texts, as they do not fit a double."""
    return {
        "fleet": str(path),
        **asdict(read.origin),
        "contexts_count": read.contexts,
        "contexts": [
            {
                "hash": f"{row['site']:016x}",
                "name": name,
                "calls": [asdict(call) for call in calls_of(read.sites, context)],
                "median_lifetime": median_lifetime(row),
                **{name: row[name] for name in ("requests", "bytes", *COLUMNS) if name != "co_use"},
                "co_use": [{"hash": f"{each['site']:016x}", "uses": each["uses"]} for each in row["co_use"]],
                "tables": row.get("tables", 1),
                "builds": len(row.get("variants", [None])),
            }
            for row, context, name in zip(read.rows, read.sites.contexts, _names(read), strict=True)
        ],
    }


def _names(read: Rows) -> list[str]:
    return names_of([(read.sites, context) for context in read.sites.contexts])


def lines(read: Rows) -> Iterator[str]:
    """The same for people: what the fleet is of, its builds, then the contexts."""
    origin = read.origin
    yield f"{printable(origin.program)}: {of_hosts(origin)}"
    parts = [f"{counted(origin.requests, 'request')} of {bytes_text(origin.bytes)}"]
    parts.append(f"from {counted(read.contexts, 'context')}")
    if origin.accesses_count:
        parts.append(f"{counted(origin.accesses_count, 'access', 'es')} ({origin.accesses})")
    yield f"{', '.join(parts)}; at most {bytes_text(origin.live_peak)} at once on a host"
    for note in (*origin.gaps, *origin.notes):
        yield f"note: {printable(note)}"
    yield from build_lines(origin)
    yield from _table(read)
    if len(read.rows) < read.contexts:
        yield f"{counted(read.contexts - len(read.rows), 'more context')} ('--top 0' shows all)"


def of_hosts(origin: Origin) -> str:
    """How many hosts, tables and builds a file is of, and how they are weighted."""
    if not origin.is_fleet:
        return f"the table of one host, {printable(origin.host or 'which has no name')}"
    by = {"cpu": "CPU time", "host": "host"}.get(origin.weight, printable(origin.weight))
    return (
        f"{counted(origin.tables, 'table')} of {counted(origin.hosts, 'host')} and "
        f"{counted(len(origin.builds), 'build')}, weighted by {by}"
    )


def build_lines(origin: Origin) -> Iterator[str]:
    """A line for each build: how much of it is found in those before it, and what disagrees."""
    whole = sum(build.requests for build in origin.builds) or 1
    for number, build in enumerate(origin.builds):
        parts = [f"{counted(build.hosts, 'host')}, {build.requests / whole:.0%} of the requests"]
        if number:
            parts.append(_found(build))
        if build.resized:
            parts.append(f"{counted(build.resized, 'context')} with objects of another size")
        yield f"build {printable(build.build_id[:SHORT_ID]) or 'without a build-id'}: {'; '.join(parts)}"


def _found(build: Build) -> str:
    levels = ", ".join(
        f"{share:.0%} {printable(level)}" for level, share in build.matched.items() if level != "same"
    )
    text = f"{build.found:.0%} of its requests found in the builds before"
    text += f" ({levels})" if levels else ""
    return text + (f", {build.keyless:.0%} have no debug information" if build.keyless >= 0.005 else "")


def _table(read: Rows) -> Iterator[str]:
    cells = [HEADINGS, *(_cells(row) for row in read.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    names = ["context", *_names(read)]
    for row, name in zip(cells, names, strict=True):
        yield (
            "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            + f"  {printable(name)}"
        )


def _cells(row: Mapping[str, Any]) -> Sequence[str]:
    lifetime = median_lifetime(dict(row))
    return (
        f"{row['requests']:,}",
        bytes_text(row["bytes"]),
        bytes_text(row["live_peak"]),
        "-" if lifetime is None else f"{lifetime:,}",
        f"{row['never'] / max(row['requests'], 1):.0%}",
        f"{row['accesses']:,}",
        f"{row.get('tables', 1):,}",
    )
