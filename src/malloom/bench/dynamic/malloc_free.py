"""What a malloc and a free cost together: pools against the general allocators, with one and two threads."""

from collections.abc import Sequence

from malloom.bench.general import BEST, general_variants, row_against_best
from malloom.bench.goals import Goal
from malloom.bench.malloc_free import DIRECTLY, POOL_HEAP, TIME, Work
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.process import Command
from malloom.measure.rows import Row, control_rows, measured_row, rows_of
from malloom.measure.variants import GLIBC, POOLS, pools

OURS = (POOLS, POOL_HEAP)
ON_TWO_THREADS = {name: f"{name}, two threads" for name in OURS}
AGAINST_BEST, AGAINST_ONE_THREAD = 0.9, 1.0
"""What was asked of pools before their frees were checked for misuse. Of the heap called directly, with these
checks, the suite pools asks less; a goal is not given up for being missed, so both stand."""


def malloc_free_rows(
    bench: Bench, pattern: str, sizes: Sequence[int], objects: int, budget: Budget
) -> list[Row | Goal]:
    """One pattern at all sizes. The goals are of the size that is worst in each way."""
    rows = []
    for size in sizes:
        work = Work(pattern, size, objects)
        peers = [variant.name for variant in general_variants(bench)]
        rows += _rows(work, _raced(bench, work, budget), peers)
    return [*rows, *goals_of(rows)]


def _raced(bench: Bench, work: Work, budget: Budget) -> Rounds:
    commands = {**bench.commands_of(work.case(), general_variants(bench)), **_ours(bench, work, 1)}
    for name, command in _ours(bench, work, 2).items():
        commands[ON_TWO_THREADS[name]] = command
    return bench.race_of(str(work.case()), commands, GLIBC, budget, TIME, controls=OURS)


def _ours(bench: Bench, work: Work, threads: int) -> dict[str, Command]:
    """The unmodified program with pools, and the one that calls the pool heap."""
    through = bench.commands_of(work.case(threads), [pools()])
    return {**through, POOL_HEAP: work.case(threads, DIRECTLY).command(bench)}


def _rows(work: Work, rounds: Rounds, peers: Sequence[str]) -> list[Row]:
    """Every allocator's time and ours, against the C library's; ours against the best of them, and with two
    threads against one: each does half of the work."""
    place = work.case().place
    two = [(ON_TWO_THREADS[name], name) for name in OURS]
    there = [pair for pair in two if all(rounds.runs.get(name) for name in pair)]
    elsewhere = (*ON_TWO_THREADS.values(), *map(again, OURS))
    return [
        *(row for row in rows_of(place, rounds, GLIBC, (TIME,)) if row.variant not in elsewhere),
        *(row for name in OURS for row in control_rows(place, rounds, name, TIME)),
        *(row_against_best(place, rounds, name, peers, TIME) for name in OURS if rounds.runs.get(name)),
        *(measured_row(place, rounds, name, baseline, TIME) for name, baseline in there),
    ]


def goals_of(rows: Sequence[Row]) -> list[Goal]:
    """Against the best allocator, and with two threads; of either the worst size."""
    return [goal for name in OURS for goal in _goals_of(name, rows)]


def _goals_of(name: str, rows: Sequence[Row]) -> list[Goal]:
    against = [row for row in rows if (row.variant, row.baseline) == (name, BEST)]
    two = [row for row in rows if row.variant == ON_TWO_THREADS[name]]
    return [
        Goal(max(found, key=lambda row: row.ratio), limit)
        for found, limit in ((against, AGAINST_BEST), (two, AGAINST_ONE_THREAD))
        if found
    ]
