"""A fleet as what 'malloom diff' compares: numbers of each call site, for one host."""

from __future__ import annotations

from pathlib import Path

from malloom.diff.summary import Numbers, Summary
from malloom.fleet.reading import Row, median_lifetime, read_rows
from malloom.fleet.tables import LIFETIMES

MISSES = "coalesce(list_sum(list_transform(kinds, lambda k: k.last_misses)), 0)::ubigint as misses"


def summary_of(path: Path) -> Summary:
    """The summary of a fleet or a table. Counts are those of the mean host, so that fleets of other numbers
    of hosts compare; live bytes are the most of any host."""
    read = read_rows(path, ["live_peak", *LIFETIMES, "accesses", MISSES])
    origin = read.origin
    has_accesses = bool(origin.accesses_count)
    numbers = tuple(_numbers(row, origin.hosts, has_accesses) for row in read.rows)
    return Summary(
        source=str(path),
        executable=origin.executable or origin.program,
        build_id=origin.build_id,
        arguments=origin.arguments,
        depth=origin.depth,
        geometry=origin.geometry,
        are_exact=origin.accesses == "full",
        is_cut=origin.is_cut,
        gaps=(*origin.gaps, *([f"counts are those of one of {origin.hosts} hosts"] * (origin.hosts > 1))),
        totals=Numbers(
            requests=origin.requests // origin.hosts,
            bytes=origin.bytes // origin.hosts,
            live_peak=origin.live_peak,
            lifetime=None,
            accesses=origin.accesses_count // origin.hosts if has_accesses else None,
            misses=sum(each.misses or 0 for each in numbers) if has_accesses else None,
        ),
        sites=read.sites,
        numbers=numbers,
        is_counted=True,
    )


def _numbers(row: Row, hosts: int, has_accesses: bool) -> Numbers:
    return Numbers(
        requests=row["requests"] // hosts,
        bytes=row["bytes"] // hosts,
        live_peak=row["live_peak"],
        lifetime=median_lifetime(row),
        accesses=row["accesses"] // hosts if has_accesses else None,
        misses=row["misses"] // hosts if has_accesses else None,
    )
