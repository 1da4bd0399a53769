"""The suite's tables, each under its own title, the thesis's numbers beside today's."""

from collections.abc import Mapping

from malloom.bench.cases import ANNOTATED
from malloom.bench.general import BEST
from malloom.bench.placement import thesis
from malloom.bench.placement.races import NOT_PREALLOCATED, SEQUENTIAL, STATISTICS
from malloom.bench.tables import Table
from malloom.measure.rows import Place, Row, describe_interval
from malloom.measure.variants import GLIBC

REAL = {"programs": "real programs", "example": "README's example"}
"""Parts with real programs."""
Claims = Mapping[Place, Mapping[str, float]]
"""The thesis's ratios by (workload, input) and variant."""


def tables() -> list[Table]:
    """Tables 5.1 to 5.14, and what the thesis could not compare with."""
    short = thesis.SHORT_RUNS
    against, library = "against sequential placement", "against the C library"
    times = thesis.ratios(thesis.TIMES, SEQUENTIAL)
    l1, last = (thesis.ratios(counts, SEQUENTIAL) for counts in (thesis.L1_MISSES, thesis.LAST_LEVEL_MISSES))
    return [
        _table(f"Tables 5.1, 5.2: CPU time {against}", "times", "cpu_time", SEQUENTIAL, times),
        _table(f"Search time alone {against}", "times", "search_time", SEQUENTIAL),
        _table(f"Walk time alone {against}", "times", "walk_time", SEQUENTIAL),
        _table(f"Tables 5.3 to 5.8: first-level misses {against}", "misses", "l1d_misses", SEQUENTIAL, l1),
        _table(f"Tables 5.3 to 5.8: last-level misses {against}", "misses", "llc_misses", SEQUENTIAL, last),
        _table(
            f"Table 5.9: CPU time {library}, preallocated or not",
            "preallocation",
            "cpu_time",
            GLIBC,
            _preallocation(),
        ),
        _table(
            f"Table 5.10: first-level misses {library}",
            "misses",
            "l1d_misses",
            GLIBC,
            thesis.L1_AGAINST_SYSTEM,
        ),
        _table(
            f"Table 5.10: last-level misses {library}",
            "misses",
            "llc_misses",
            GLIBC,
            thesis.LAST_LEVEL_AGAINST_SYSTEM,
        ),
        _table(
            f"Tables 5.11, 5.12: CPU time of short runs {library}",
            "times",
            "cpu_time",
            GLIBC,
            short,
            only=short,
        ),
        _table(
            "Tables 5.13, 5.14: a library that does more than place, against one that only places",
            "statistics",
            "cpu_time",
            SEQUENTIAL,
            _slim(),
        ),
        _table(f"CPU time {library}", "times", "cpu_time", GLIBC),
        Table("Chosen by simulation alone, against the best general allocator", "speed", "cpu_time", BEST),
        *(table for part, of in REAL.items() for table in _real(part, of)),
    ]


def _real(part: str, of: str) -> list[Table]:
    """What is kept beside the general allocators, a line each and a column a program, of one race."""
    title = f"What optimize keeps for {of}, and general allocators:"
    return [
        Table(f"{title} CPU time against the C library", part, "cpu_time", GLIBC, turned=True),
        Table(
            f"{title} peak memory against the C library",
            part,
            "cpu_time",
            GLIBC,
            cell=lambda row: f"{row.peak_rss_ratio:.2f}",
            turned=True,
        ),
        Table(f"{title} CPU time against the best of these", part, "cpu_time", BEST, turned=True),
    ]


def _preallocation() -> Claims:
    names = {
        (name, preallocated): name if preallocated else f"{name} {NOT_PREALLOCATED}"
        for name, preallocated in thesis.AGAINST_SYSTEM
    }
    return {("cover", "300 300"): {names[key]: ratio for key, ratio in thesis.AGAINST_SYSTEM.items()}}


def _slim() -> Claims:
    """The whole library against the one that can do nothing but place."""
    return {
        place: {f"{SEQUENTIAL} {STATISTICS}": thesis.TIMES[place][SEQUENTIAL] / slim[SEQUENTIAL]}
        for place, slim in thesis.SLIM_TIMES.items()
    }


def _table(
    title: str,
    part: str,
    metric: str,
    baseline: str,
    claims: Claims | None = None,
    only: Mapping[Place, object] | None = None,
) -> Table:
    """A line a strategy and a column an input, as in the thesis. What was measured with an annotated program
    stands in the plain one's column, marked so."""

    def cell(row: Row) -> str:
        claim = (claims or {}).get(_place(row), {}).get(row.variant)
        today = describe_interval(row)
        return today if claim is None else f"{claim:.3f} → {today}"

    return Table(
        f"{title}{' (thesis → today)' if claims else ''}",
        part,
        metric,
        baseline,
        shows=lambda row: only is None or _place(row) in only,
        cell=cell,
        place=_place,
        variant=lambda row: f"{row.variant}, annotated" if row.workload.endswith(ANNOTATED) else row.variant,
        turned=True,
    )


def _place(row: Row) -> Place:
    return row.workload.removesuffix(ANNOTATED), row.input
