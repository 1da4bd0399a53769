"""DuckDB, which reads, merges and writes tables: in bounded memory, and with the same result each time."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from malloom.errors import CommandError
from malloom.extra import needed

MEMORY = "2GB"
"""What DuckDB may use before it puts intermediate results into temporary files."""


@contextmanager
def database(threads: int | None = None) -> Iterator[Any]:
    """A connection to an empty database in memory, with a folder of its own for what does not fit there.

    The system's failures come as CommandError. DuckDB may load nothing from the network.
    """
    duckdb = needed("duckdb", "a table of a fleet")
    with tempfile.TemporaryDirectory(prefix="malloom-fleet-") as folder:
        settings = {
            "temp_directory": folder,
            "memory_limit": MEMORY,
            "threads": threads or os.cpu_count() or 1,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        connection = duckdb.connect(config=settings)
        try:
            yield connection
        except duckdb.OutOfMemoryException:
            raise CommandError(
                f"there is no room left in {tempfile.gettempdir()}, where temporary files go",
                remedy="make room there, or set TMPDIR to another folder",
            ) from None
        except _own_mistakes(duckdb):
            raise
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as problem:
            told = system_error(problem)
            words = told.strerror if told else _first_line(problem)
            raise CommandError(f"a table cannot be read or written: {words}") from None
        finally:
            connection.close()


def system_error(problem: Exception) -> OSError | None:
    """What the system refused, which DuckDB tells as JSON at the end of its text; None: it was not that."""
    found = re.search(r'"errno":"(\d+)"', str(problem))
    return OSError(int(found[1]), os.strerror(int(found[1]))) if found else None


@contextmanager
def system_told() -> Iterator[None]:
    """A block that writes a file: what the system refuses comes as OSError, as from any other file."""
    duckdb = needed("duckdb", "a table of a fleet")
    try:
        yield
    except duckdb.IOException as problem:
        told = system_error(problem)
        if told is None:
            raise
        raise told from None


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]


def _own_mistakes(duckdb: Any) -> tuple[type[Exception], ...]:
    """What no file is to blame for, once its columns have been checked: SQL that makes no sense."""
    return duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException


@contextmanager
def told_by_name(connection: Any, files: Sequence[tuple[str, str]]) -> Iterator[None]:
    """A block that reads files, of each its name and path: where one cannot be read, the CommandError has its
    name."""
    duckdb = needed("duckdb", "a table of a fleet")
    try:
        yield
    except (
        *_own_mistakes(duckdb), duckdb.OutOfMemoryException, duckdb.InterruptException, duckdb.FatalException
    ):  # fmt: skip
        raise
    except duckdb.Error as problem:
        named = [name for name, path in files if path in str(problem)]
        name = named[0] if len(named) == 1 else _unreadable(connection, files, duckdb)
        if name is None:
            raise
        raise CommandError(
            f"{name} is damaged or cut short", remedy="copy it again, or leave it out"
        ) from None


def _unreadable(connection: Any, files: Sequence[tuple[str, str]], duckdb: Any) -> str | None:
    """Name of the first file that cannot be read, of which not all failures tell: looks at all metadata, then
    at all rows."""
    for query in (
        "select count(*) from parquet_metadata({0})", "select bit_xor(hash(t)) from read_parquet({0}) t"
    ):  # fmt: skip
        for name, path in files:
            try:
                connection.execute(query.format(quoted(path))).fetchall()
            except (duckdb.OutOfMemoryException, duckdb.InterruptException):
                raise
            except duckdb.Error:
                return name
    return None


def quoted(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"
