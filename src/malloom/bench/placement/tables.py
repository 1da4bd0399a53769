"""The suite's findings as tables, each under its own title, the thesis's numbers beside today's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from malloom.bench import variants
from malloom.bench.findings import Findings
from malloom.bench.placement import thesis
from malloom.bench.placement.races import NOT_PREALLOCATED, SEQUENTIAL, STATISTICS
from malloom.bench.rows import Row
from malloom.bench.tables import (
    ROW_HEADINGS,
    Shown,
    described,
    failures_table,
    goals_table,
    notes_table,
    row_cells,
)

ANNOTATED = "_annotated"
Place = tuple[str, str]
Claims = Mapping[Place, Mapping[str, float]]
"""The thesis's ratios by (workload, input) and variant."""


@dataclass(frozen=True)
class Printed:
    """One table: which rows of which part it shows, and what the thesis has beside them.

    `places` limits it to some inputs; empty: all.
    """

    title: str
    part: str
    metric: str
    baseline: str
    claims: Claims = field(default_factory=dict)
    places: Sequence[Place] = ()

    def rows(self, findings: Findings) -> list[Row]:
        return [
            row
            for row in findings.of(self.part)
            if (row.metric, row.baseline) == (self.metric, self.baseline)
            and (not self.places or (row.workload.removesuffix(ANNOTATED), row.input) in self.places)
        ]


def thesis_tables() -> list[Printed]:
    """Tables 5.1 to 5.14, and what the thesis could not compare with."""
    sequential, glibc = SEQUENTIAL, variants.GLIBC
    times = thesis.ratios(thesis.TIMES, sequential)
    l1, last = (
        thesis.ratios(thesis.L1_MISSES, sequential),
        thesis.ratios(thesis.LAST_LEVEL_MISSES, sequential),
    )
    short = list(thesis.SHORT_RUNS)
    against = "against sequential placement"
    return [
        Printed(f"Tables 5.1, 5.2: CPU time {against}", "times", "cpu_time", sequential, times),
        Printed(f"Search time alone {against}", "times", "search_time", sequential),
        Printed(f"Walk time alone {against}", "times", "walk_time", sequential),
        Printed(f"Tables 5.3 to 5.8: first-level misses {against}", "misses", "l1d_misses", sequential, l1),
        Printed(f"Tables 5.3 to 5.8: last-level misses {against}", "misses", "llc_misses", sequential, last),
        Printed(
            "Table 5.9: CPU time against the C library, preallocated or not",
            "preallocation",
            "cpu_time",
            glibc,
            _preallocation_claims(),
        ),
        Printed(
            "Table 5.10: first-level misses against the C library",
            "misses",
            "l1d_misses",
            glibc,
            thesis.L1_AGAINST_SYSTEM,
        ),
        Printed(
            "Table 5.10: last-level misses against the C library",
            "misses",
            "llc_misses",
            glibc,
            thesis.LAST_LEVEL_AGAINST_SYSTEM,
        ),
        Printed(
            "Tables 5.11, 5.12: CPU time of short runs against the C library",
            "times",
            "cpu_time",
            glibc,
            thesis.SHORT_RUNS,
            short,
        ),
        Printed(
            "Tables 5.13, 5.14: a library that does more than place, against one that only places",
            "statistics",
            "cpu_time",
            sequential,
            _statistics_claims(),
        ),
        Printed("CPU time against the C library", "times", "cpu_time", glibc),
    ]


def _preallocation_claims() -> Claims:
    return {
        ("cover", "300 300"): {
            name if preallocated else f"{name} {NOT_PREALLOCATED}": ratio
            for (name, preallocated), ratio in thesis.AGAINST_SYSTEM.items()
        }
    }


def _statistics_claims() -> Claims:
    return {
        place: {f"{SEQUENTIAL} {STATISTICS}": thesis.TIMES[place][SEQUENTIAL] / slim[SEQUENTIAL]}
        for place, slim in thesis.SLIM_TIMES.items()
    }


def shown_tables(findings: Findings) -> list[Shown]:
    """Every table that the findings can fill, then the goals and what stands beside them, then failures."""
    tables = [_shown(printed, printed.rows(findings)) for printed in thesis_tables()]
    beside = [row_cells(row) for row in findings.of("speed")]
    tables += [
        goals_table(findings),
        Shown("Chosen by simulation alone, against the best general allocator", ROW_HEADINGS, beside),
        notes_table(findings),
        failures_table(findings),
    ]
    return [table for table in tables if table.rows]


def _shown(printed: Printed, rows: Sequence[Row]) -> Shown:
    """A column an input. What was measured with the annotated program has rows of its own, marked so."""
    inputs = list(dict.fromkeys((row.workload.removesuffix(ANNOTATED), row.input) for row in rows))
    ways = dict.fromkeys((row.workload.endswith(ANNOTATED), row.variant) for row in rows)
    cells = {(row.workload, row.input, row.variant): row for row in rows}
    lines = []
    for annotated, variant in sorted(ways, key=lambda way: way[0]):
        suffix = ANNOTATED if annotated else ""
        found = [cells.get((workload + suffix, given, variant)) for workload, given in inputs]
        claims = [printed.claims.get(place, {}).get(variant) for place in inputs]
        name = f"{variant}, annotated" if annotated else variant
        lines.append((name, *(described(row, claim) for row, claim in zip(found, claims, strict=True))))
    title = f"{printed.title}{' (thesis → today)' if printed.claims else ''}"
    return Shown(title, ("variant", *(" ".join(place) for place in inputs)), lines)
