"""`malloom record --tables`: what a recording told, as the table that this host contributes to a fleet."""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from malloom.errors import CommandError
from malloom.output_file import check_new, check_output, check_replaced

GEOMETRY = "zen5"
"""Whose misses are counted: the same machine on every host."""
NANOSECONDS = 1_000_000_000


@contextmanager
def beside(output: Path, *, force: bool) -> Iterator[Path]:
    """The path of a profile that is gone at the end, on the disk on which the table will lie. Raises where no
    table can be written there."""
    from malloom.extra import needed  # noqa: PLC0415  (a verb loads what it uses)

    needed("duckdb", "a table of a fleet")
    check_output(output)
    if not force:
        check_new(output)
    check_replaced(output, "table of a host")
    folder = tempfile.mkdtemp(prefix=".malloom-", dir=output.absolute().parent)
    try:
        yield Path(folder) / "profile"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_recorded(profile: Path, output: Path, *, anonymous: bool) -> list[str]:
    """The same as write_table_of; CPU time is that of the children that have ended, and all of it was
    recorded."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_time = round((used.ru_utime + used.ru_stime) * NANOSECONDS)
    return write_table_of(profile, output, cpu_time, cpu_time, anonymous=anonymous)


def write_table_of(
    profile: Path, output: Path, cpu_time: int, recorded_cpu_time: int, *, anonymous: bool
) -> list[str]:
    """Writes the table of the profile's program, and returns what is to be said of it.

    The times are nanoseconds. Raises CommandError where the table would be empty.
    """
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415
    from malloom.fleet.table_file import write_table  # noqa: PLC0415
    from malloom.fleet.tables import table_of, without_names  # noqa: PLC0415
    from malloom.profile import HeapProfile  # noqa: PLC0415

    opened = HeapProfile.open(profile)
    table, notes = table_of(
        opened, geometry_from(GEOMETRY), cpu_time=cpu_time, recorded_cpu_time=recorded_cpu_time
    )
    write_table(without_names(table) if anonymous else table, output)
    return list(dict.fromkeys([*opened.notes, *notes]))


def main(profile: str, output: str, cpu_time: str, recorded_cpu_time: str, *options: str) -> int:
    """In a process of its own: the profile of a window becomes a table."""
    try:
        times = int(cpu_time), int(recorded_cpu_time)
        write_table_of(Path(profile), Path(output), *times, anonymous="--anonymous" in options)
    except CommandError as error:
        print(f"malloom: no table of a window: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
