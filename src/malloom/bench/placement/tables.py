"""The suite's rows as tables on a terminal, the thesis's numbers beside today's."""

from collections.abc import Sequence
from math import isinf

from rich.console import Console
from rich.table import Table

from malloom.bench import variants
from malloom.bench.placement import thesis
from malloom.bench.placement.goals import Goal
from malloom.bench.placement.races import SEQUENTIAL
from malloom.bench.rows import Row

Places = Sequence[tuple[str, str]]


def print_all(console: Console, rows: Sequence[Row], goals: Sequence[Goal]) -> None:
    """Every table the rows can fill, then the goals."""
    title = "Tables 5.1, 5.2: {} against sequential placement (thesis | today)"
    _print_strategies(console, rows, title.format("CPU time"), "cpu_time", SEQUENTIAL, thesis.TIMES)
    for phase in ("search_time", "walk_time"):
        _print_strategies(console, rows, title.format(phase), phase, SEQUENTIAL, {})
    title = "Tables 5.3 to 5.8: {} against sequential placement, cachegrind (thesis | today)"
    _print_strategies(console, rows, title.format("L1 misses"), "l1d_misses", SEQUENTIAL, thesis.L1_MISSES)
    _print_strategies(
        console, rows, title.format("last-level misses"), "llc_misses", SEQUENTIAL, thesis.LAST_LEVEL_MISSES
    )
    for metric, tables in (
        ("cpu_time", "Tables 5.9, 5.11, 5.12"),
        ("l1d_misses", "Table 5.10"),
        ("llc_misses", "Table 5.10"),
    ):
        _print_strategies(
            console, rows, f"{tables}: {metric} against the C library", metric, variants.GLIBC, {}
        )
    print_goals(console, goals)


def _print_strategies(
    console: Console,
    rows: Sequence[Row],
    title: str,
    metric: str,
    baseline: str,
    claims: dict[tuple[str, str], dict[str, float]],
) -> None:
    chosen = [row for row in rows if row.metric == metric and row.baseline == baseline]
    if not chosen:
        return
    places = list(dict.fromkeys((row.workload, row.input) for row in chosen))
    table = Table("variant", *(" ".join(place) for place in places), title=title, title_justify="left")
    for variant in dict.fromkeys(row.variant for row in chosen):
        cells = [_cell(chosen, variant, place, claims) for place in places]
        table.add_row(variant, *cells)
    console.print(table)


def _cell(
    rows: Sequence[Row],
    variant: str,
    place: tuple[str, str],
    claims: dict[tuple[str, str], dict[str, float]],
) -> str:
    found = [row for row in rows if row.variant == variant and (row.workload, row.input) == place]
    today = describe_interval(found[0]) if found else "-"
    claim = claims.get((place[0].removesuffix("_annotated"), place[1]), {})
    if variant not in claim:
        return today
    return f"{claim[variant] / claim[SEQUENTIAL]:.3f} | {today}"


def describe_interval(row: Row) -> str:
    """`0.512 [0.500 0.523]`, or the ratio alone where it is exact."""
    if row.low == row.high:
        return f"{row.ratio:.3f}"
    return f"{row.ratio:.3f} [{row.low:.3f} {row.high:.3f}]"


def print_goals(console: Console, goals: Sequence[Goal]) -> None:
    """Every goal with its limit, failed ones like the others."""
    title = "What malloom must reach"
    table = Table(
        "workload", "variant", "against", "metric", "measured", "limit", "", title=title, title_justify="left"
    )
    for goal in goals:
        row = goal.row
        metric = "peak_rss" if goal.of_memory else row.metric
        measured = f"{goal.value:.3f}" if goal.of_memory else describe_interval(row)
        limit = "a verdict" if isinf(goal.limit) else f"{goal.limit:.2f}"
        table.add_row(
            f"{row.workload} {row.input}",
            row.variant,
            row.baseline,
            metric,
            measured,
            limit,
            "pass" if goal.reached else "FAIL",
        )
    console.print(table)
