"""The suite's tables: a program a line, a way to compile it a column, the paper's numbers beside today's."""

from collections.abc import Callable, Mapping, Sequence

from malloom.bench.general import BEST
from malloom.bench.numbers import ONE
from malloom.bench.splitting import paper
from malloom.bench.splitting.chosen import BEST_SETTING, KEPT
from malloom.bench.splitting.compilers import BASELINE, CONTROL, LTO, MAXIMAL, POOL
from malloom.bench.splitting.counting import machines, with_prefetchers
from malloom.bench.splitting.debian import BUILD, BUILD_WALL, FACTS, LINK, REASONS, SHARE
from malloom.bench.splitting.links import LINK_ALONE
from malloom.bench.splitting.programs import WALK_TIME
from malloom.bench.splitting.reasons import AGAINST, LARGEST, MEAN, MEGABYTES, REACH, TOTALS
from malloom.bench.splitting.streams import LINES, PAGES, STREAMS, TO_FIRST, TO_SECOND
from malloom.bench.splitting.table2 import INSTRUCTIONS
from malloom.bench.tables import Table
from malloom.measure.rows import Row, describe_interval
from malloom.optimize.building import POLICIES

NO_CYCLES = "cycles per instruction cannot be counted here"
MISSES = {"l1_misses": "L1", "l2_misses": "L2", "l3_misses": "L3", "tlb_misses": "TLB"}
COUNTS = {
    STREAMS: "Figure 6: prefetch streams begun",
    TO_FIRST: "Figure 7a: lines prefetched from L2 to L1",
    TO_SECOND: "Figure 7b: lines prefetched from beyond into L2",
}
FOOTPRINTS = {LINES: "lines of 64 bytes", PAGES: "pages of 4 KiB"}
CLANG, WITH_LTO = "clang -O3", "clang -O3 -flto"
OF_CHECKS = (KEPT, BEST_SETTING)
REAL_WITH_LTO = "clang -O2 -flto"
"""As real programs are built."""


def tables() -> list[Table]:
    """In the order of the parts."""
    return [
        *_times("figure4", "Figure 4: walking time", WALK_TIME),
        _peaks("figure4", "Figure 4", WALK_TIME),
        *(
            table
            for part in ("llu", "llu-one-list")
            for table in (
                *_times(part, f"{part}: CPU time", "cpu_time"),
                Table(f"{part}: walking time against {CLANG}", part, WALK_TIME, BASELINE),
                _peaks(part, part),
            )
        ),
        *_times("olden", "Figure 5: CPU time", "cpu_time"),
        _peaks("olden", "Figure 5"),
        *_chosen(),
        Table(
            f"Table 2: instructions against {WITH_LTO} (paper → today); {NO_CYCLES}",
            "table2",
            INSTRUCTIONS,
            cell=_beside_paper,
        ),
        Table(
            "Instructions that maximal splitting adds, per cent (paper → today)",
            "table2",
            INSTRUCTIONS,
            LTO,
            (MAXIMAL,),
            shows=lambda row: row.variant == MAXIMAL,
            cell=_added,
        ),
        *_misses(),
        *_streams(),
        *(
            Table(
                f"Section 2.4: distinct {what} that are touched, against {WITH_LTO}",
                "streams",
                metric,
                cell=_count,
            )
            for metric, what in FOOTPRINTS.items()
        ),
        *_debian(),
        *_reasons(),
        *_links(),
    ]


def _chosen() -> list[Table]:
    """What was kept, on check inputs; and the builds, on training inputs."""
    checks, builds = ((names, _one_of(names)) for names in (OF_CHECKS, POLICIES))
    title = "Kept by measurement, on check inputs"
    return [
        Table(f"{title}: CPU time against {WITH_LTO}", "chosen", "cpu_time", LTO, checks[0], shows=checks[1]),
        Table(f"{title}: CPU time against the best setting", "chosen", "cpu_time", BEST_SETTING),
        Table(
            f"{title}: peak memory against {WITH_LTO}",
            "chosen",
            "cpu_time",
            LTO,
            checks[0],
            shows=lambda row: checks[1](row) and _has_peak(row),
            cell=_peak,
        ),
        Table(
            f"Builds, on training inputs: CPU time against {WITH_LTO}",
            "chosen",
            "cpu_time",
            LTO,
            builds[0],
            shows=builds[1],
        ),
    ]


def _one_of(names: Sequence[str]) -> Callable[[Row], bool]:
    return lambda row: row.variant in names


def _times(part: str, title: str, metric: str) -> list[Table]:
    return [
        Table(f"{title} against {CLANG}", part, metric, BASELINE),
        Table(f"{title} against {WITH_LTO}", part, metric, LTO),
        Table(f"{title} against the best compiler or general allocator", part, metric, BEST),
    ]


def _peaks(part: str, title: str, metric: str = "cpu_time", against: str = WITH_LTO) -> Table:
    """Peak memory, from the same races as the times."""
    return Table(f"{title}: peak memory against {against}", part, metric, LTO, shows=_has_peak, cell=_peak)


def _debian() -> list[Table]:
    """What is proven of real programs and why not more, their builds, times and peaks."""
    title, against, part = "Real programs", f"against {REAL_WITH_LTO}", "debian"
    return [
        Table(
            f"{title}: alias sets, and the part of the heap's bytes in pools", part, FACTS, ONE, cell=_fact
        ),
        Table(f"{title}: alias sets without pools, by reason", part, REASONS, ONE, cell=_count, turned=True),
        Table(f"{title}: CPU time of a clean build {against}", part, BUILD, LTO),
        Table(f"{title}: wall time of that with two jobs", part, BUILD_WALL, LTO),
        Table(f"{title}: the link alone", part, LINK, ONE, cell=_tenths),
        Table(f"{title}: CPU time {against}", part, "cpu_time", LTO),
        Table(
            f"{title}: CPU time against functions inlined and copied as by default, without pools",
            part,
            "cpu_time",
            CONTROL,
        ),
        _peaks(part, title, against=REAL_WITH_LTO),
    ]


def _reasons() -> list[Table]:
    """Of all programs, and of each."""
    part, title = "reasons", "Reasons for no pools"
    return [
        Table(f"{title}, of the programs' heap bytes", part, TOTALS, ONE, cell=_total),
        Table(f"{title}: what is proven of heap bytes", part, REACH, ONE, cell=_reached),
        Table(
            f"{title}: the share of heap bytes that each holds for",
            part,
            AGAINST,
            ONE,
            cell=_share,
            turned=True,
        ),
    ]


def _share(row: Row) -> str:
    return f"{100 * row.ratio:.1f} %"


def _total(row: Row) -> str:
    return _share(row) if row.variant in (MEAN, LARGEST) else f"{row.ratio:,.0f}"


def _reached(row: Row) -> str:
    return _tenths(row) if row.variant == MEGABYTES else _share(row)


def _links() -> list[Table]:
    """Of the link alone, and of clean builds."""
    part, against = "links", f"against {REAL_WITH_LTO}"
    return [
        Table("Links: the programs' lines, and what a link takes", part, FACTS, ONE, cell=_fact_of_link),
        Table(f"Links: CPU time of the link alone {against}", part, LINK_ALONE, LTO),
        _peaks(part, "Links: the link alone", LINK_ALONE, REAL_WITH_LTO),
        Table(f"Links: CPU time of a clean build {against}", part, BUILD, LTO),
    ]


def _fact_of_link(row: Row) -> str:
    return _tenths(row) if row.variant.endswith("seconds") else f"{row.ratio:,.0f}"


def _fact(row: Row) -> str:
    if row.variant == SHARE:
        return _share(row)
    return f"{row.ratio:,.0f}"


def _tenths(row: Row) -> str:
    return f"{row.ratio:,.1f}"


def _on(machine: str) -> Callable[[Row], bool]:
    return lambda row: row.input.endswith(f" {machine}")


def _misses() -> list[Table]:
    return [
        Table(
            f"Table 2, {machine.name}: {level} misses against {WITH_LTO}"
            f"{' (paper → today)' if machine.name == 'power4' else ''}",
            "table2",
            metric,
            shows=_on(machine.name),
            cell=_beside_paper if machine.name == "power4" else _count,
        )
        for machine in machines()
        for metric, level in MISSES.items()
    ]


def _streams() -> list[Table]:
    return [
        Table(
            f"{title}, {machine.name}, against {WITH_LTO}",
            "streams",
            metric,
            shows=_on(machine.name),
            cell=_count,
        )
        for machine in with_prefetchers()
        for metric, title in COUNTS.items()
    ]


def _count(row: Row) -> str:
    return f"{row.ratio:,.0f}" if row.baseline == ONE else describe_interval(row)


COLUMNS: Mapping[str, int] = {POOL: paper.POOL_COLUMN, MAXIMAL: paper.MPADS_COLUMN}


def _beside_paper(row: Row) -> str:
    claim = None
    if row.baseline == LTO and row.variant in COLUMNS:
        claim = paper.ratio(row.metric, row.workload, COLUMNS[row.variant])
    return _count(row) if claim is None else f"{claim:.3f} → {_count(row)}"


def _added(row: Row) -> str:
    claim = paper.ratio(row.metric, row.workload, paper.MPADS_COLUMN)
    today = f"{100 * (row.ratio - 1):.1f}"
    return today if claim is None else f"{100 * (claim - 1):.1f} → {today}"


def _has_peak(row: Row) -> bool:
    return row.peak_rss_ratio is not None


def _peak(row: Row) -> str:
    return f"{row.peak_rss_ratio:.2f}"
