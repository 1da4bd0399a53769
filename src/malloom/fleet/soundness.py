"""Whether files have the columns and values of tables: of many by what Parquet says of them, of one by all of
its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from malloom.errors import CommandError
from malloom.fleet.columns import FLEET, TABLE, Fields, astray, missing, sql_type
from malloom.fleet.database import quoted
from malloom.fleet.inputs import Table
from malloom.fleet.origin import MAKE_AGAIN

NOT_THE_SUM = "its rows do not add up"
NO_FILE = "its call sites are of no file"
COPY_AGAIN = "make or copy it again"
MAY_BE_EMPTY = ("fields", "co_use")
"""Lists that many rows have nothing in."""


def damaged(table: Table, problem: str) -> CommandError:
    """What is said of a table whose rows are not good."""
    return CommandError(f"{table.name} is damaged: {problem}", remedy=COPY_AGAIN)


def check_columns(connection: Any, tables: Sequence[Table]) -> None:
    """Raises CommandError where one has not the columns of a table, or of a fleet. Reads no rows."""
    expected = {is_fleet: _expected(connection, FLEET if is_fleet else TABLE) for is_fleet in (False, True)}
    found = _columns_of(connection, [table.path for table in tables])
    for table in tables:
        problem = _difference(found.get(table.path, {}), expected[table.origin.is_fleet])
        if problem:
            raise CommandError(f"{table.name} is damaged: {problem}", remedy=MAKE_AGAIN)


def _expected(connection: Any, columns: Fields) -> dict[str, str]:
    """Name and type of each, as DuckDB writes them."""
    wanted = ", ".join(f'null::{sql_type(type_)} as "{name}"' for name, type_ in columns.items())
    return {row[0]: row[1] for row in connection.execute(f"describe select {wanted}").fetchall()}


def _columns_of(connection: Any, paths: Sequence[str]) -> dict[str, dict[str, str]]:
    """Of each file name and type of its columns. They are alike in most files, so each set is told once."""
    rows = connection.execute(
        """select list(file_name), columns from (
            select file_name, list({name: name, children: num_children, type: duckdb_type}
                order by column_id) as columns
            from parquet_schema(?) group by file_name) group by columns""",
        [list(paths)],
    ).fetchall()
    return {path: told for files, columns in rows for told in [_outermost(columns)] for path in files}


def _outermost(columns: list[dict[str, Any]]) -> dict[str, str]:
    """Those of the rows, of all that a file has in depth-first order, the root first."""
    found = {}
    place = 1
    while place < len(columns):
        found[columns[place]["name"]] = columns[place]["type"]
        left = 1
        while left and place < len(columns):
            left += (columns[place]["children"] or 0) - 1
            place += 1
    return found


def _difference(found: dict[str, str], expected: dict[str, str]) -> str:
    """What is wrong with the columns found; empty: nothing."""
    for name, type_ in expected.items():
        if name not in found:
            return f"it has no column {name}"
        if found[name] != type_:
            return f"its column {name} has another type than that of a table"
    more = next((name for name in found if name not in expected), None)
    return "" if more is None else f"no table has its column {more}"


def doubtful(connection: Any, tables: Sequence[Table]) -> list[Table]:
    """Those in whose rows a value may be missing, by how many Parquet says there are not. It does not tell an
    empty list from one that is missing."""
    nested = f"path_in_schema like 'chain, %, calls, %' or {_begins(MAY_BE_EMPTY)}"
    rows = connection.execute(
        f"""select distinct file_name from (
            select file_name, row_group_id, {nested} as may_be_empty,
                min(coalesce(stats_null_count, -1)) as fewest, max(coalesce(stats_null_count, 1)) as most
            from parquet_metadata(?)
            group by file_name, row_group_id, split_part(path_in_schema, ',', 1), may_be_empty)
        where case when may_be_empty then fewest <> most else fewest <> 0 or most <> 0 end""",
        [[table.path for table in tables]],
    ).fetchall()
    paths = {row[0] for row in rows}
    return [table for table in tables if table.path in paths]


def _begins(columns: Sequence[str]) -> str:
    return " or ".join(f"path_in_schema like '{name}, %'" for name in columns)


def check_rows(connection: Any, table: Table) -> None:
    """Raises CommandError where a value is missing in a row of the table, a call site is of no file of code,
    or the rows do not add up. Reads all of the file."""
    columns, files = (FLEET if table.origin.is_fleet else TABLE), len(table.origin.files)
    strays = astray(files)
    if table.origin.is_fleet:
        strays += f" or list_bool_or(list_transform(variants, lambda v: {astray(files, 'v.chain')}))"
    query = f"""select count(*) - count(distinct site), sum(requests), sum(bytes),
        bool_or({missing(columns)}), bool_or({strays}), bit_xor(hash(t))
        from read_parquet({quoted(table.path)}) t"""
    twice, requests, size, has_holes, has_strays, _ = connection.execute(query).fetchone()
    if has_holes:
        raise damaged(table, "values are missing in its rows")
    if has_strays:
        raise damaged(table, NO_FILE)
    if (requests, size) != (table.origin.requests, table.origin.bytes):
        raise damaged(table, NOT_THE_SUM)
    if twice:
        raise damaged(table, "it has a context twice")
