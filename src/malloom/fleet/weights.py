"""How much each table counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from malloom.fleet.inputs import Table
from malloom.fleet.origin import Origin

WEIGHTS = ("cpu", "host")
UNIT = 1 << 16
"""Factors are whole numbers of so many parts, so that sums do not depend on their order."""

MOST = 1 << 48
"""Of a factor, so that sums of products fit 128 bits."""


def factors(tables: Sequence[Table], weight: str) -> list[int]:
    """By what each table's counts are multiplied, in UNITs.

    By `cpu` each second of CPU time counts alike: tables of which a part of the time was recorded are scaled
    up to the whole. By `host` each host counts as the mean one does: by CPU time, or by requests where a
    table does not tell of that.
    """
    scales = [_whole(table.origin) for table in tables]
    if weight == "cpu":
        return [round(scale * UNIT) for scale in scales]
    has_times = all(table.origin.cpu_time for table in tables)
    sizes = [
        table.origin.cpu_time if has_times else table.origin.requests * scale
        for table, scale in zip(tables, scales, strict=True)
    ]
    of_host: dict[str, float] = defaultdict(float)
    for table, size in zip(tables, sizes, strict=True):
        of_host[host_of(table)] += size
    mean = sum(of_host.values()) / len(of_host)
    return [
        min(max(round(scale * mean / max(of_host[host_of(table)], 1) * UNIT), 1), MOST)
        for table, scale in zip(tables, scales, strict=True)
    ]


def host_of(table: Table) -> str:
    """The host's name; a table that does not tell is of a host of its own."""
    return table.origin.host or table.name


def _whole(origin: Origin) -> float:
    """The CPU time as a ratio to its recorded part, 1 where one of them is not known."""
    if origin.recorded_cpu_time and origin.cpu_time > origin.recorded_cpu_time:
        return origin.cpu_time / origin.recorded_cpu_time
    return 1.0
