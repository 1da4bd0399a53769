"""The suite's findings as tables, each under its own title, the thesis's numbers beside today's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf

from rich.console import Console
from rich.table import Table

from malloom.bench import variants
from malloom.bench.placement import thesis
from malloom.bench.placement.findings import Failure, Findings
from malloom.bench.placement.goals import Goal
from malloom.bench.placement.races import NOT_PREALLOCATED, SEQUENTIAL, STATISTICS
from malloom.bench.rows import Row

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
            and (not self.places or (row.workload.removesuffix("_annotated"), row.input) in self.places)
        ]


def thesis_tables() -> list[Printed]:
    """Tables 5.1 to 5.14, and what the thesis could not compare with."""
    sequential, glibc = SEQUENTIAL, variants.GLIBC
    times = thesis.ratios(thesis.TIMES, sequential)
    l1, last = (
        thesis.ratios(thesis.L1_MISSES, sequential),
        thesis.ratios(thesis.LAST_LEVEL_MISSES, sequential),
    )
    preallocation = {
        ("cover", "300 300"): {
            name if preallocated else f"{name} {NOT_PREALLOCATED}": ratio
            for (name, preallocated), ratio in thesis.AGAINST_SYSTEM.items()
        }
    }
    lean = {
        place: {f"{sequential} {STATISTICS}": thesis.TIMES[place][sequential] / slim[sequential]}
        for place, slim in thesis.SLIM_TIMES.items()
    }
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
            preallocation,
        ),
        Printed("Table 5.10: first-level misses against the C library", "misses", "l1d_misses", glibc),
        Printed("Table 5.10: last-level misses against the C library", "misses", "llc_misses", glibc),
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
            lean,
        ),
        Printed("CPU time against the C library", "times", "cpu_time", glibc),
    ]


def print_all(console: Console, findings: Findings) -> None:
    """Every table that the findings can fill, then the goals, then what failed."""
    for printed in thesis_tables():
        _print_table(console, printed, printed.rows(findings))
    if findings.goals:
        print_goals(console, findings.goals)
    if findings.failures:
        print_failures(console, findings.failures)


def _print_table(console: Console, printed: Printed, rows: Sequence[Row]) -> None:
    if not rows:
        return
    places = list(dict.fromkeys((row.workload, row.input) for row in rows))
    title = f"{printed.title}{' (thesis | today)' if printed.claims else ''}"
    table = Table("variant", *(" ".join(place) for place in places), title=title, title_justify="left")
    for variant in dict.fromkeys(row.variant for row in rows):
        table.add_row(variant, *(_cell(rows, variant, place, printed.claims) for place in places))
    console.print(table)


def _cell(rows: Sequence[Row], variant: str, place: Place, claims: Claims) -> str:
    found = [row for row in rows if row.variant == variant and (row.workload, row.input) == place]
    today = describe_interval(found[0]) if found else "-"
    claim = claims.get((place[0].removesuffix("_annotated"), place[1]), {})
    return f"{claim[variant]:.3f} | {today}" if variant in claim else today


def describe_interval(row: Row) -> str:
    """`0.512 [0.500 0.523]`, or the ratio alone where it is exact."""
    if row.low == row.high:
        return f"{row.ratio:.3f}"
    return f"{row.ratio:.3f} [{row.low:.3f} {row.high:.3f}]"


GOAL_HEADINGS = ("workload", "variant", "against", "metric", "measured", "limit", "reached")


def goal_cells(goal: Goal) -> tuple[str, ...]:
    """Workload, variant, baseline, metric, measured, limit, and whether it is reached."""
    row = goal.row
    return (
        f"{row.workload} {row.input}",
        row.variant,
        row.baseline,
        "peak_rss" if goal.of_memory else row.metric,
        f"{goal.value:.3f}" if goal.of_memory else describe_interval(row),
        "a verdict" if isinf(goal.limit) else f"{goal.limit:.2f}",
        "yes" if goal.reached else "NO",
    )


def print_goals(console: Console, goals: Sequence[Goal]) -> None:
    """Every goal with its limit, failed ones like the others."""
    table = Table(*GOAL_HEADINGS, title="What malloom must reach", title_justify="left")
    for goal in goals:
        table.add_row(*goal_cells(goal))
    console.print(table)


def print_failures(console: Console, failures: Sequence[Failure]) -> None:
    """What has no number, and why."""
    table = Table("part", "what", "why", title="What could not be measured", title_justify="left")
    for failure in failures:
        table.add_row(failure.part, failure.what, failure.why)
    console.print(table)
