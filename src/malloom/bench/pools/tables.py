"""The suite's tables: a program a line, a variant against a baseline a column."""

from collections.abc import Callable

from malloom.bench.malloc_free import TIME
from malloom.bench.pools.scale import PoolsScale
from malloom.bench.tables import Table
from malloom.measure.allocators import Way
from malloom.measure.rows import Row


def tables(scale: PoolsScale) -> list[Table]:
    former = f"commit {scale.against}"
    return [
        Table(f"CPU time of programs against {former}", "before", "cpu_time"),
        Table(f"A malloc and its free against {former}", "before-malloc-free", TIME),
        Table("Peak memory", "memory", "peak_memory"),
        Table("Memory in use at the end", "memory", "kept_bytes"),
        Table("CPU time, huge pages off for all", "times", "cpu_time", shows=_with_huge_pages(False)),
        Table("CPU time, huge pages on for all", "times", "cpu_time", shows=_with_huge_pages(True)),
        Table("An allocation and its free by the pool heap called directly", "malloc-free", TIME),
        Table("Instructions for an object, the loop's own included", "code", "instructions"),
        Table("Loads for an object that a store before them forwards to", "code", "forwarded_loads"),
        Table("Cycles for an object, simulated for Zen 4", "code", "cycles znver4"),
        Table("Cycles for an object, simulated for Sapphire Rapids", "code", "cycles sapphirerapids"),
        Table("Instructions that the checks add for an object", "checks", "instructions_added"),
        Table("Time of an allocation and its free with checks", "checks", TIME),
        Table("CPU time of programs with checks", "checks", "cpu_time"),
        Table("CPU time under DynamoRIO", "dynamorio", "cpu_time"),
        Table("CPU time with a compiler's tokens", "tokens", "cpu_time"),
    ]


def _with_huge_pages(wanted: bool) -> Callable[[Row], bool]:
    return lambda row: row.baseline.endswith(Way.huge) == wanted
