"""A fleet, or the table of one host, read back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.fleet.database import database, quoted, told_by_name
from malloom.fleet.inputs import named_files, read_origins
from malloom.fleet.origin import Origin
from malloom.fleet.soundness import check_columns, check_rows
from malloom.fleet.tables import LIFETIMES
from malloom.sites.keys import Call, Site
from malloom.sites.table import Frame, KeyedContext, SiteModule, SiteTable

Row = dict[str, Any]


@dataclass(frozen=True)
class Rows:
    """Rows of a file: the columns that were asked for, by name, and their contexts in the same order."""

    origin: Origin
    contexts: int
    """Of the whole file."""
    sites: SiteTable
    rows: list[Row]


@contextmanager
def opened(path: Path) -> Iterator[tuple[Any, str, Origin]]:
    """A connection, what a query says in place of the file's name, and what the file says of itself.

    Raises CommandError where the file is not good.
    """
    with tempfile.TemporaryDirectory(prefix="malloom-fleet-") as folder, database() as connection:
        files = named_files([str(path)], connection, Path(folder))
        with told_by_name(connection, files):
            table = read_origins(connection, files)[0]
            check_columns(connection, [table])
            check_rows(connection, table)
            yield connection, f"read_parquet({quoted(table.path)})", table.origin


def read_rows(
    path: Path,
    columns: Sequence[str],
    of_fleet: Sequence[str] = (),
    *,
    order: str = "requests",
    top: int = 0,
    depth: int = 0,
) -> Rows:
    """The rows of a table or fleet by falling `order`, a column; `top` 0: all. `columns` are SQL of the
    columns that are wanted beside `site`, `requests`, `bytes` and the chain; a fleet has `of_fleet` too."""
    limit = f"limit {top}" if top else ""
    with opened(path) as (connection, file, origin):
        more = of_fleet if origin.is_fleet else ()
        wanted = ", ".join(["site", "requests", "bytes", "chain", *columns, *more])
        query = f"select {wanted} from {file} order by {order} desc, site {limit}"
        result = connection.execute(query)
        names = [column[0] for column in result.description]
        rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        count = connection.execute(f"select count(*) from {file}").fetchone()[0]
    return Rows(origin, count, _sites(origin, rows, depth), rows)


def _sites(origin: Origin, rows: Sequence[Row], depth: int) -> SiteTable:
    frames: dict[tuple[int, int], int] = {}
    found: list[Frame] = []
    contexts = []
    for row in rows:
        chain = []
        for each in row["chain"][: depth or None]:
            place = each["module"], each["offset"]
            if place not in frames:
                frames[place] = len(found)
                found.append(_frame(each))
            chain.append(frames[place])
        contexts.append(KeyedContext(row["site"], tuple(chain), row["requests"], row["bytes"]))
    modules = tuple(SiteModule(int(file.hash, 16), file.path, file.build_id) for file in origin.files)
    return SiteTable(modules, tuple(found), tuple(contexts))


def _frame(each: Row) -> Frame:
    calls = tuple(
        Call(call["function"], call["file"], call["line"], call["column"], call["function_line"])
        for call in each["calls"]
    )
    numbers = each["twins"], each["copies"], each["ordinal"], each["alike"]
    return Frame(each["module"], Site(each["offset"], each["callee"], calls, *numbers))


def median_lifetime(row: Row) -> int | None:
    """About the median lifetime in allocation events of the objects that were released; None: none was."""
    counts = [row[name] for name in LIFETIMES]
    half: float = sum(counts) / 2
    if not half:
        return None
    below = 0
    for power, count in enumerate(counts):
        if below + count >= half:
            return round(float(16 ** (power + (half - below) / count)))
        below += count
    return None
