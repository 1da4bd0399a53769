"""DuckDB, which reads, merges and writes tables: in bounded memory, and with the same result each time."""

from __future__ import annotations

import os
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
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.BinderException) as problem:
            raise CommandError(f"a table cannot be read: {_first_line(problem)}") from None
        finally:
            connection.close()


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]


@contextmanager
def told_by_name(files: Sequence[tuple[str, str]]) -> Iterator[None]:
    """A block that reads files, of each its name and path: where one cannot be read, the CommandError has its
    name."""
    duckdb = needed("duckdb", "a table of a fleet")
    try:
        yield
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.BinderException) as problem:
        reason = str(problem)
        named = [(reason.find(path), name) for name, path in files if path in reason]
        if not named:
            raise
        # Of several the first is the one that differs from the others.
        told = f"{min(named)[1]} is damaged or cut short"
        raise CommandError(told, remedy="copy it again, or leave it out") from None


def quoted(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"
