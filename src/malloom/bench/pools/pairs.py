"""A pair of allocation and free by the pool heap called directly, against the best general allocator's."""

from collections.abc import Sequence

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.pairs import PHASE, POOL_HEAP, Work
from malloom.bench.goals import Goal
from malloom.bench.pools.allocators import BEST, best_of
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.rows import Row, row

LIMITS = {"now": 1.0, "lifo": 1.05, "fifo": 1.0, "random": 1.0}
"""By pattern, against the best general allocator."""


def pair_rows(bench: Bench, works: Sequence[Work], budget: Budget) -> list[Row | Goal]:
    """One pattern at all sizes; the worst size is held."""
    found = [each for work in works for each in _rows(work, _raced(bench, work, budget))]
    return [*found, *goals_of(works[0].pattern, found)]


def goals_of(pattern: str, rows: Sequence[Row]) -> list[Goal]:
    held = [each for each in rows if each.baseline == BEST]
    return [Goal(max(held, key=lambda each: each.ratio), LIMITS[pattern])] if held else []


def _raced(bench: Bench, work: Work, budget: Budget) -> Rounds:
    general = ways.commands_of(bench, work.case().command(bench.workloads), [ways.native(), *ways.peers()])
    commands = {**general, POOL_HEAP: work.case(workload="pool_pairs").command(bench.workloads)}
    bench.say(f"measuring pairs, {work.case().input}: {', '.join(commands)}")
    return run_interleaved(
        commands, variants.GLIBC, budget, PHASE, progress=bench.progress, failed=bench.failed
    )


def _rows(work: Work, rounds: Rounds) -> list[Row]:
    """Against each, then against the best."""
    place = work.case().place
    general = tuple(name for name in (variants.GLIBC, *variants.PEERS) if rounds.runs.get(name))
    best = rounds.ratio(POOL_HEAP, best_of(rounds, general, PHASE), PHASE)
    return [
        *(measured_row(place, rounds, POOL_HEAP, name, PHASE) for name in general),
        row(place, POOL_HEAP, BEST, PHASE, best, runs=len(rounds)),
    ]
