"""The suite's findings as the paper's tables: a program a row, a way of running it a column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from malloom.bench.dynamic import paper
from malloom.bench.dynamic.memory import EMPTY, FULL
from malloom.bench.dynamic.misses import MACHINES
from malloom.bench.dynamic.pairs import ON_TWO_THREADS, OURS, PHASE, POOL_HEAP
from malloom.bench.dynamic.prefetches import METRIC, ONE
from malloom.bench.dynamic.ways import CARRIED, POOLS, SAME_INPUT
from malloom.bench.findings import Findings
from malloom.bench.tables import Shown, describe_interval, failures_table, goals_table, notes_table
from malloom.measure import variants
from malloom.measure.rows import Row

GLIBC = variants.GLIBC
UNDER = (paper.POOL, paper.PREFETCH, paper.ALL)
LEARNED = (CARRIED, SAME_INPUT)
COLUMNS = (paper.DYNAMORIO, *UNDER, *LEARNED, POOLS, *variants.PEERS)


@dataclass(frozen=True)
class Printed:
    """One table of the rows of a part with a metric and a baseline; `cell` describes a row."""

    title: str
    part: str
    metric: str
    baseline: str
    columns: Sequence[str]
    cell: Callable[[Row | None, str, str], str]
    input: str = ""
    """What the inputs that it shows contain; empty: all."""

    def rows(self, findings: Findings) -> list[Row]:
        found = (self.metric, self.baseline)
        return [
            row
            for row in findings.of(self.part)
            if (row.metric, row.baseline) == found and self.input in row.input
        ]


def shown_tables(findings: Findings) -> list[Shown]:
    """Every table that the findings can fill, then the goals, the notes and the failures."""
    tables = [_shown(printed, printed.rows(findings)) for printed in (*_tables(), *_other_tables())]
    tables += [goals_table(findings), notes_table(findings), failures_table(findings)]
    return [table for table in tables if table.rows]


def _tables() -> list[Printed]:
    beside = "Athlon MP | Pentium 4 → today"
    return [
        Printed(
            f"Tables 1, 2: CPU time against native ({beside})",
            "times",
            "cpu_time",
            GLIBC,
            COLUMNS,
            _against_native,
        ),
        Printed(
            f"Tables 1, 2: CPU time against DynamoRIO alone ({beside})",
            "times",
            "cpu_time",
            paper.DYNAMORIO,
            UNDER,
            _against_dynamorio,
        ),
        *(
            Printed(f"CPU time against {peer}", "times", "cpu_time", peer, LEARNED, _today)
            for peer in variants.PEERS
        ),
        Printed("Peak memory against native", "times", "cpu_time", GLIBC, COLUMNS, _peak),
        *(
            Printed(
                f"{machine}: {name} misses against native",
                "misses",
                metric,
                GLIBC,
                ("mimalloc", POOLS, *LEARNED),
                _today,
                machine,
            )
            for machine in MACHINES
            for metric, name in (("l1d_misses", "first-level"), ("llc_misses", "last-level"))
        ),
    ]


def _other_tables() -> list[Printed]:
    """What the paper has no times of."""
    allocators = (*variants.PEERS, POOLS)
    kept = {FULL: "when all objects live", EMPTY: "when all are released"}
    return [
        Printed(
            "Programs that allocate little: CPU time against DynamoRIO alone",
            "quiet",
            "cpu_time",
            paper.DYNAMORIO,
            (paper.ALL,),
            _today,
        ),
        Printed("Table 3: prefetches (paper → today)", "prefetches", METRIC, ONE, UNDER[1:], _prefetches),
        Printed(
            "A malloc and a free: CPU time against native",
            "pairs",
            PHASE,
            GLIBC,
            (*allocators, POOL_HEAP),
            _today,
        ),
        *(
            Printed(f"{name}: two threads against one", "pairs", PHASE, name, (ON_TWO_THREADS[name],), _today)
            for name in OURS
        ),
        *(
            Printed(f"Memory in use {when}, against native", "memory", metric, GLIBC, allocators, _today)
            for metric, when in kept.items()
        ),
    ]


def _shown(printed: Printed, rows: Sequence[Row]) -> Shown:
    """A line an input, in the order of measuring; columns that nothing was measured for are left out."""
    cells = {(row.workload, row.input, row.variant): row for row in rows}
    measured = {row.variant for row in rows}
    columns = [name for name in printed.columns if name in measured]
    lines = [
        (
            f"{workload} {given}",
            *(printed.cell(cells.get((workload, given, name)), workload, name) for name in columns),
        )
        for workload, given in dict.fromkeys((row.workload, row.input) for row in rows)
    ]
    return Shown(printed.title, ("program", *columns), lines)


def _against_native(row: Row | None, program: str, way: str) -> str:
    return _beside_paper(row, program, way, paper.NATIVE)


def _against_dynamorio(row: Row | None, program: str, way: str) -> str:
    return _beside_paper(row, program, way, paper.DYNAMORIO)


def _beside_paper(row: Row | None, program: str, way: str, baseline: str) -> str:
    claims = [paper.ratio(times, program, way, baseline) for times in (paper.ATHLON_MP, paper.PENTIUM_4)]
    today = _today(row, program, way)
    if None in claims:
        return today
    return f"{' | '.join(f'{claim:.3f}' for claim in claims)} → {today}"


def _today(row: Row | None, _program: str, _way: str) -> str:
    return describe_interval(row) if row else "-"


def _prefetches(row: Row | None, program: str, way: str) -> str:
    claim = paper.PREFETCHES[program][way == paper.ALL]
    return f"{claim} → {row.ratio:.0f}" if row else "-"


def _peak(row: Row | None, _program: str, _way: str) -> str:
    return f"{row.peak_rss_ratio:.2f}" if row and row.peak_rss_ratio is not None else "-"
