"""The suite's findings as tables: a program a row, a variant against a baseline a column."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.findings import Findings
from malloom.bench.pools.allocators import HUGE
from malloom.bench.pools.scale import Scale
from malloom.bench.tables import Shown, describe_interval, failures_table, goals_table, notes_table
from malloom.measure.rows import Row


@dataclass(frozen=True)
class Table:
    """A table of a part's rows with one metric; with huge pages or without, where that is told apart."""

    title: str
    part: str
    metric: str
    huge: bool | None = None

    def rows(self, findings: Findings) -> list[Row]:
        return [
            row
            for row in findings.of(self.part)
            if row.metric == self.metric and self.huge in (None, row.variant.endswith(HUGE))
        ]


def tables(scale: Scale) -> list[Table]:
    former = f"commit {scale.against}"
    return [
        Table(f"CPU time of programs against {former}", "before", "cpu_time"),
        Table(f"Pairs of malloc and free against {former}", "before-pairs", "pair_time"),
        Table("Peak memory", "memory", "peak_memory"),
        Table("Memory in use at the end", "memory", "kept_bytes"),
        Table("CPU time, huge pages off for all", "times", "cpu_time", huge=False),
        Table("CPU time, huge pages on for all", "times", "cpu_time", huge=True),
        Table("A pair by the pool heap called directly", "pairs", "pair_time"),
        Table("Instructions of a pair, the loop's own included", "code", "instructions"),
        Table("Loads of a pair that a store before them forwards to", "code", "forwarded_loads"),
        Table("Cycles of a pair, simulated for Zen 4", "code", "cycles znver4"),
        Table("Cycles of a pair, simulated for Sapphire Rapids", "code", "cycles sapphirerapids"),
        Table("Instructions that the checks add to a pair", "checks", "instructions_added"),
        Table("Time of a pair with checks", "checks", "pair_time"),
        Table("CPU time of programs with checks", "checks", "cpu_time"),
        Table("CPU time under DynamoRIO", "dynamorio", "cpu_time"),
    ]


def shown_tables(findings: Findings, scale: Scale) -> list[Shown]:
    """What was measured on, every table that the findings can fill, the goals, the notes and the failures."""
    found = [_shown(table.title, table.rows(findings)) for table in tables(scale)]
    found += [goals_table(findings), notes_table(findings), failures_table(findings)]
    return [_measured_on(findings, scale), *(shown for shown in found if shown.rows)]


def _measured_on(findings: Findings, scale: Scale) -> Shown:
    judged = "the goals" if scale.judges else "nothing: --quick has few runs of small inputs"
    lines = [
        *((name, str(findings.host[name])) for name in ("commit", "processor") if name in findings.host),
        ("last level", f"{int(findings.host.get('last_level', 0)) / (1 << 20):.0f} MiB"),
        ("compared with", f"commit {scale.against}"),
        ("what it judges", judged),
    ]
    return Shown("Measured on", ("what", "which"), lines)


def _shown(title: str, rows: Sequence[Row]) -> Shown:
    """A line an input, in the order of measuring."""
    cells = {(row.workload, row.input, row.variant, row.baseline): row for row in rows}
    columns = list(dict.fromkeys((row.variant, row.baseline) for row in rows))
    lines = [
        (" ".join(place), *(_cell(cells.get((*place, *column))) for column in columns))
        for place in dict.fromkeys((row.workload, row.input) for row in rows)
    ]
    return Shown(title, ("program", *(" / ".join(column) for column in columns)), lines)


def _cell(row: Row | None) -> str:
    return describe_interval(row) if row else "-"
