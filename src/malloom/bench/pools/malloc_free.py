"""An allocation and its free by the pool heap called directly, against the best general allocator's."""

from collections.abc import Sequence

from malloom.bench.general import BEST, general_variants, row_against_best
from malloom.bench.goals import Goal
from malloom.bench.malloc_free import DIRECTLY, POOL_HEAP, TIME, Work
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import GLIBC

LIMITS = {"now": 1.0, "lifo": 1.05, "fifo": 1.0, "random": 1.0}
"""By pattern, against the best general allocator, with the checks of misuse: the suite dynamic keeps the
limit that was set before there were any."""


def malloc_free_rows(bench: Bench, works: Sequence[Work], budget: Budget) -> list[Row | Goal]:
    """One pattern at all sizes; the worst size is held."""
    found = [row for work in works for row in _rows(bench, work, budget)]
    return [*found, *goals_of(works[0].pattern, found)]


def goals_of(pattern: str, rows: Sequence[Row]) -> list[Goal]:
    held = [row for row in rows if row.baseline == BEST]
    return [Goal(max(held, key=lambda row: row.ratio), LIMITS[pattern])] if held else []


def _rows(bench: Bench, work: Work, budget: Budget) -> list[Row]:
    """Against each, then against the best."""
    peers = bench.commands_of(work.case(), general_variants(bench))
    commands = {**peers, POOL_HEAP: work.case(workload=DIRECTLY).command(bench)}
    rounds = bench.race_of(str(work.case()), commands, GLIBC, budget, TIME)
    place = work.case().place
    there = [name for name in peers if rounds.runs.get(name)]
    return [
        *control_rows(place, rounds, GLIBC, TIME),
        *(measured_row(place, rounds, POOL_HEAP, name, TIME) for name in there),
        row_against_best(place, rounds, POOL_HEAP, there, TIME),
    ]
