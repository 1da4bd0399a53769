"""Programs that allocate little: what the optimiser costs them beyond DynamoRIO."""

from malloom.bench.cases import OtherProgram
from malloom.bench.dynamic.goals import NO_SLOWER
from malloom.bench.goals import Goal
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import ALL, DYNAMORIO, GLIBC, native, under_dynamorio


def few_request_rows(bench: Bench, program: OtherProgram, budget: Budget) -> list[Row | Goal]:
    """One program natively, under DynamoRIO, and with the optimiser."""
    rounds = bench.race(program, [native(), *under_dynamorio((DYNAMORIO, ALL))], DYNAMORIO, budget)
    wanted = [(DYNAMORIO, GLIBC), (ALL, GLIBC), (ALL, DYNAMORIO)]
    rows = [
        measured_row(program.place, rounds, name, baseline, "cpu_time")
        for name, baseline in wanted
        if rounds.runs.get(name) and rounds.runs.get(baseline)
    ]
    goals = [Goal(row, NO_SLOWER) for row in rows if row.baseline == DYNAMORIO]
    return [*control_rows(program.place, rounds, DYNAMORIO), *rows, *goals]
