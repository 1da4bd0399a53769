"""Figures 6 and 7: prefetch streams and prefetches; and section 2.4's distinct lines and pages."""

from malloom.bench.cases import Case
from malloom.bench.splitting.counting import WholeRuns, count_rows, with_prefetchers
from malloom.bench.steps import Bench
from malloom.measure.rows import Row

STREAMS, TO_FIRST, TO_SECOND = "prefetch_streams", "l1_prefetches", "l2_prefetches"
LINES, PAGES = "distinct_lines", "distinct_pages"


def stream_rows(bench: Bench, case: Case, runs: WholeRuns) -> list[Row]:
    """Of both machines of table 1, and what is touched whatever the machine."""
    found = runs.of(bench, case)
    rows = []
    for machine in with_prefetchers():
        place = (case.workload, f"{case.input} {machine.name}")
        all_counts = {name: run.prefetches[machine.name] for name, run in found.items()}
        for metric, counts in {
            STREAMS: {name: each.streams for name, each in all_counts.items()},
            TO_FIRST: {name: each.first_level for name, each in all_counts.items()},
            TO_SECOND: {name: each.second_level for name, each in all_counts.items()},
        }.items():
            rows += count_rows(place, metric, counts)
    rows += count_rows(case.place, LINES, {name: run.lines for name, run in found.items()})
    return rows + count_rows(case.place, PAGES, {name: run.pages for name, run in found.items()})
