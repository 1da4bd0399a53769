"""The suite's tables: a program a line, a way of running it a column, the paper's numbers beside today's."""

from collections.abc import Callable, Mapping
from typing import Any

from malloom.bench.dynamic import paper
from malloom.bench.dynamic.fallback_cost import FALLBACK, MIMALLOC
from malloom.bench.dynamic.malloc_free import ON_TWO_THREADS, OURS
from malloom.bench.dynamic.memory import EMPTY, FULL
from malloom.bench.dynamic.misses import MACHINES
from malloom.bench.dynamic.other_inputs import FALLBACK as FALLBACK_ALONE
from malloom.bench.dynamic.prefetches import METRIC, ONE
from malloom.bench.general import BEST
from malloom.bench.malloc_free import TIME
from malloom.bench.tables import Table
from malloom.measure.rows import Row, describe_interval
from malloom.measure.variants import ALL, DYNAMORIO, GLIBC

MISSES: Mapping[str, str] = {"l1d_misses": "first-level", "llc_misses": "last-level"}
MOMENTS: Mapping[str, str] = {FULL: "when all objects live", EMPTY: "when all are released"}


def tables() -> list[Table]:
    """Tables 1 to 3 of the paper, then what it has no numbers of."""
    beside = "Athlon MP | Pentium 4 → today"
    return [
        Table(
            f"Tables 1, 2: CPU time against native ({beside})",
            "times",
            "cpu_time",
            GLIBC,
            cell=_beside_paper(GLIBC),
        ),
        Table(
            f"Tables 1, 2: CPU time against DynamoRIO alone ({beside})",
            "times",
            "cpu_time",
            DYNAMORIO,
            cell=_beside_paper(DYNAMORIO),
        ),
        Table("CPU time against the best general allocator", "times", "cpu_time", BEST),
        Table("Peak memory against native", "times", "cpu_time", GLIBC, cell=_peak),
        *_other_sizes(),
        Table("Table 3: prefetches (paper → today)", "prefetches", METRIC, ONE, cell=_prefetches),
        *_misses(),
        Table(
            "Plans where the program does other things: CPU time against the fallback alone",
            "other-inputs",
            "cpu_time",
            FALLBACK_ALONE,
        ),
        Table(
            "Programs that allocate little: CPU time against DynamoRIO alone",
            "few-requests",
            "cpu_time",
            DYNAMORIO,
        ),
        Table("A malloc and a free: CPU time against native", "malloc-free", TIME, GLIBC),
        Table("A malloc and a free: CPU time against the best general allocator", "malloc-free", TIME, BEST),
        Table(
            "A malloc and a free of mixed sizes: the fallback against mimalloc of the same source, preloaded",
            "malloc-free",
            TIME,
            MIMALLOC,
            (FALLBACK,),
        ),
        *(
            Table(f"{name}: two threads against one", "malloc-free", TIME, name, (ON_TWO_THREADS[name],))
            for name in OURS
        ),
        *(
            Table(f"Memory in use {when}, against native", "memory", metric, GLIBC)
            for metric, when in MOMENTS.items()
        ),
    ]


def _other_sizes() -> list[Table]:
    def table(what: str, baseline: str, **more: Any) -> Table:
        return Table(f"What is kept, at other sizes: {what}", "other-sizes", "cpu_time", baseline, **more)

    return [
        table("CPU time against native", GLIBC),
        table("CPU time against the best general setting", BEST),
        table("peak memory against native", GLIBC, cell=_peak),
    ]


def _misses() -> list[Table]:
    def of(machine: str) -> Callable[[Row], bool]:
        return lambda row: row.input.endswith(machine)

    return [
        Table(f"{machine}: {name} misses against native", "misses", metric, GLIBC, shows=of(machine))
        for machine in MACHINES
        for metric, name in MISSES.items()
    ]


def _beside_paper(baseline: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        times = (paper.ATHLON_MP, paper.PENTIUM_4)
        claims = [paper.ratio(each, row.workload, row.variant, baseline) for each in times]
        today = describe_interval(row)
        known = [f"{claim:.3f}" for claim in claims if claim is not None]
        return f"{' | '.join(known)} → {today}" if known else today

    return cell


def _prefetches(row: Row) -> str:
    return f"{paper.PREFETCHES[row.workload][row.variant == ALL]} → {row.ratio:.0f}"


def _peak(row: Row) -> str:
    return "-" if row.peak_rss_ratio is None else f"{row.peak_rss_ratio:.2f}"
