"""Under DynamoRIO: pools, and pools with prefetches, against DynamoRIO alone."""

from malloom.bench.cases import Runnable
from malloom.bench.goals import Goal, Of
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, rows_of
from malloom.measure.variants import ALL, DYNAMORIO, POOL, under_dynamorio

AGAINST_DYNAMORIO = 1.03
"""Of the low end against DynamoRIO alone."""


def dynamorio_rows(bench: Bench, program: Runnable, budget: Budget) -> list[Row | Goal]:
    rounds = bench.race(program, under_dynamorio((DYNAMORIO, POOL, ALL)), DYNAMORIO, budget)
    rows = rows_of(program.place, rounds, DYNAMORIO, ("cpu_time",))
    return [*rows, *(Goal(row, AGAINST_DYNAMORIO, Of.LOW) for row in rows if row.variant in (POOL, ALL))]
