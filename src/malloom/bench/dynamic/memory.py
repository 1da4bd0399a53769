"""Whether freed memory goes back: a program makes objects, releases all, and looks at what it has left."""

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal, against_limit
from malloom.bench.races import rows_of
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.rows import Row

FULL, EMPTY = "full_bytes", "empty_bytes"
"""Resident memory of the process when all objects live, and when none does."""
KEPT = 0.1
"""Of what was in use when all objects lived: what may still be when all have gone."""


def memory_rows(bench: Bench, heap_bytes: int, budget: Budget) -> list[Row | Goal]:
    """What is left in use, against the C library's; and pools against what they had."""
    case = Case("ebb", (str(heap_bytes),), EMPTY, f"{heap_bytes / 1e6:.0f} MB")
    wanted = [ways.native(), *ways.peers(), ways.pools()]
    commands = ways.commands_of(bench, case.command(bench.workloads), wanted)
    bench.say(f"measuring {' '.join(case.place)}: {', '.join(commands)}")
    rounds = run_interleaved(
        commands, variants.GLIBC, budget, EMPTY, progress=bench.progress, failed=bench.failed
    )
    rows = rows_of(case.place, rounds, variants.GLIBC, (FULL, EMPTY))
    return [*rows, *_goals(case, rounds)]


def _goals(case: Case, rounds: Rounds) -> list[Goal]:
    if not rounds.runs.get(POOLS):
        return []
    allowed = KEPT * min(rounds.values(POOLS, FULL))
    return [against_limit(case.place, POOLS, EMPTY, rounds.values(POOLS, EMPTY), allowed)]
