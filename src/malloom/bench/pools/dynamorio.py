"""Under DynamoRIO: pools, and pools with prefetches, against DynamoRIO alone."""

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.paper import ALL, DYNAMORIO, POOL
from malloom.bench.goals import Goal, Of
from malloom.bench.pools.programs import Program
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.rows import Row

LIMIT = 1.03
"""Of the low end against DynamoRIO alone."""


def dynamorio_rows(bench: Bench, program: Program, budget: Budget) -> list[Row | Goal]:
    wanted = [way for way in ways.under_dynamorio() if way.name in (DYNAMORIO, POOL, ALL)]
    commands = ways.commands_of(bench, program.command(bench), wanted)
    bench.say(f"measuring {program}: {', '.join(commands)}")
    rounds = run_interleaved(commands, DYNAMORIO, budget, progress=bench.progress, failed=bench.failed)
    there = [name for name in (POOL, ALL) if rounds.runs.get(name)]
    rows = [measured_row(program.place, rounds, name, DYNAMORIO, "cpu_time") for name in there]
    return [*rows, *(Goal(each, LIMIT, Of.LOW) for each in rows)]
