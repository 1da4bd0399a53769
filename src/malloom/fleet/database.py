"""DuckDB, which reads, merges and writes tables: in bounded memory, and with the same result each time."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from malloom.errors import CommandError

MEMORY = "2GB"
"""What DuckDB may use before it puts intermediate results into temporary files."""
EXTRA = "install it with 'pip install malloom[fleet]'"


def needed(package: str, purpose: str) -> Any:
    """The package of the extra, imported. Raises CommandError where it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise CommandError(f"{purpose} needs the package {package}", remedy=EXTRA) from None


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
        except duckdb.IOException as problem:
            reason = str(problem).partition("\n")[0]
            raise CommandError(f"a table cannot be read or written: {reason}") from None
        finally:
            connection.close()


def quoted(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"
