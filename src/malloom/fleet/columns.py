"""The columns of a table and of a fleet, with their types: what is written, and what a reader asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from malloom.fleet.tables import FIELD_COUNTS, KIND_COUNTS, SITE_COUNTS
from malloom.sites.table import NO_MODULE

Fields = Mapping[str, Any]
"""Of each column the type as DuckDB calls it, or where it is a list the Fields of its elements."""

WIDE, NARROW, TEXT, SIGNED = "UBIGINT", "UINTEGER", "VARCHAR", "BIGINT"

SITE_COLUMNS = ("site", "live_peak", *SITE_COUNTS)
CALL: Fields = {"function": TEXT, "file": TEXT, "line": NARROW, "column": NARROW, "function_line": NARROW}
SITE_NUMBERS: Fields = dict.fromkeys(("twins", "copies", "ordinal", "alike"), NARROW)
KIND: Fields = dict.fromkeys(("size", "live_peak", *KIND_COUNTS), WIDE)
FIELD: Fields = {
    "size": WIDE, "offset": NARROW, "width": NARROW, **dict.fromkeys(FIELD_COUNTS, WIDE)
}  # fmt: skip
CO_USE: Fields = {"site": WIDE, "uses": WIDE}


def _columns(module: str) -> Fields:
    frame = {"module": module, "offset": WIDE, "callee": TEXT, "calls": CALL, **SITE_NUMBERS}
    lists = {"chain": frame, "kinds": KIND, "fields": FIELD, "co_use": CO_USE}
    return {**dict.fromkeys(SITE_COLUMNS, WIDE), **lists}


VARIANT: Fields = {
    "site": WIDE, "requests": WIDE, "level": SIGNED, "chain": {"module": SIGNED, "offset": WIDE},
    "kinds": {"size": WIDE, "requests": WIDE},
}  # fmt: skip
TABLE = _columns(NARROW)
"""Of the table of a host."""
FLEET: Fields = {**_columns(SIGNED), "tables": WIDE, "variants": VARIANT}


def sql_type(column: Any) -> str:
    """A type of a Fields, in SQL."""
    if isinstance(column, str):
        return column
    inner = ", ".join(f'"{name}" {sql_type(type_)}' for name, type_ in column.items())
    return f"struct({inner})[]"


def missing(columns: Fields, of: str = "") -> str:
    """SQL that is true of a row in which a value is null, however deep; else false or null. `of` is what
    stands before the names of columns."""
    conditions = []
    for name, type_ in columns.items():
        column = f'{of}"{name}"'
        conditions.append(f"{column} is null")
        if not isinstance(type_, str):
            each = f"each_{name}"
            inner = f"{each} is null or {missing(type_, f'{each}.')}"
            conditions.append(f"list_bool_or(list_transform({column}, lambda {each}: {inner}))")
    return " or ".join(conditions)


def astray(files: int, modules: str = "chain") -> str:
    """SQL that is true of a row with a call site of a file of code that is not among the first so many."""
    wrong = f"f.module < 0 or (f.module >= {files} and f.module <> {NO_MODULE})"
    return f"list_bool_or(list_transform({modules}, lambda f: {wrong}))"
