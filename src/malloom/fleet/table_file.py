"""Tables on disk: Parquet, compressed with zstd, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from malloom.file_name import native_name
from malloom.fleet.columns import FIELD, KIND, SITE_COLUMNS
from malloom.fleet.database import database, quoted, system_told
from malloom.fleet.origin import KEY, encoded
from malloom.fleet.tables import Columns, HostTable
from malloom.output_file import written_whole
from malloom.sites.table import SiteTable

ROW_GROUP = 65536
"""Rows."""


def write_table(table: HostTable, path: Path) -> None:
    """Writes the table: whoever opens `path` sees a whole one, old or new. The same table gives the same
    bytes. Raises CommandError where the package that writes it is not installed."""
    with database(threads=1) as connection:
        for name, columns in _sections(table).items():
            connection.register(name, columns)
        with written_whole(path) as file, system_told():
            connection.execute(copying(native_name(file.name), encoded(table.origin)))


def copying(path: str, origin: str, more: str = "", joined: str = "") -> str:
    """The statement that writes the database's tables to a file; `more` are columns of `joined`."""
    selection = _selection(more, joined)
    options = f"format parquet, compression zstd, row_group_size {ROW_GROUP}"
    return f"copy ({selection}) to {quoted(path)} ({options}, kv_metadata {{{KEY}: {quoted(origin)}}})"


def _selection(more: str, joined: str) -> str:
    numbers = ", ".join(f"s.{name}" for name in SITE_COLUMNS)
    kind = ", ".join(f"{name}: k.{name}" for name in KIND)
    field = ", ".join(f"'{name}': f.{name}" for name in FIELD)
    return f"""
with named as (
  select frame, list({{'function': function::varchar, file: file::varchar, line: line, 'column': "column",
    function_line: function_line}} order by place) as calls from calls group by frame),
frames as (select f.*, n.calls from sites f left join named n using (frame)),
chained as (
  select h.row, list({{module: c.module, 'offset': c.offset, callee: c.callee::varchar,
    calls: coalesce(c.calls, []), twins: c.twins, copies: c.copies, ordinal: c.ordinal, alike: c.alike}}
    order by h.place) as chain
  from chains h join frames c using (frame) group by h.row),
fielded as (
  select f.row, list({{{field}}} order by f.size, f.offset, f.width) as fields from fields f group by f.row),
kinded as (select k.row, list({{{kind}}} order by k.size) as kinds from kinds k group by k.row),
used as (
  select row, list({{site: site, uses: uses}} order by uses desc, site) as co_use from co_use group by row)
select {numbers}, coalesce(chain, []) as chain, coalesce(kinds, []) as kinds,
  coalesce(fields, []) as fields, coalesce(co_use, []) as co_use{more}
from numbers s left join chained using (row) left join kinded using (row) left join fielded using (row)
  left join used using (row)
{joined}
order by s.row"""


def _sections(table: HostTable) -> dict[str, Columns]:
    rows = np.arange(len(table.sites.contexts), dtype=np.uint32)
    return {
        "numbers": {"row": rows, **table.numbers},
        "kinds": table.kinds,
        "fields": table.fields,
        "co_use": table.co_use,
        **_key_sections(table.sites),
    }


def _key_sections(sites: SiteTable) -> dict[str, Columns]:
    chains = [
        (row, place, frame)
        for row, context in enumerate(sites.contexts)
        for place, frame in enumerate(context.frames)
    ]
    frames = [
        (number, frame.module, frame.site.offset, frame.site.callee, frame.site.twins, frame.site.copies,
         frame.site.ordinal, frame.site.alike)
        for number, frame in enumerate(sites.frames)
    ]  # fmt: skip
    calls = [
        (number, place, call.function, call.file, call.line, call.column, call.function_line)
        for number, frame in enumerate(sites.frames)
        for place, call in enumerate(frame.site.calls)
    ]
    return {
        "chains": _columns(chains, row="u4", place="u4", frame="u4"),
        "sites": _columns(
            frames, frame="u4", module="u4", offset="u8", callee="text", twins="u4", copies="u4",
            ordinal="u4", alike="u4",
        ),
        "calls": _columns(
            calls, frame="u4", place="u4", function="text", file="text", line="u4", column="u4",
            function_line="u4",
        ),
    }  # fmt: skip


def _columns(rows: Iterable[tuple[Any, ...]], **types: str) -> Columns:
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    return {
        name: np.array([_printable(each) for each in column], dtype=object)
        if type_ == "text"
        else np.array(column, dtype=type_)
        for (name, type_), column in zip(types.items(), columns, strict=True)
    }


def _printable(text: str) -> str:
    """Parquet's texts are UTF-8, and a file's name may be anything."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
