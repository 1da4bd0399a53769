"""Programs that allocate little: what the optimiser costs them beyond DynamoRIO."""

from collections.abc import Sequence

from malloom.bench.dynamic.goals import NO_SLOWER
from malloom.bench.dynamic.paper import ALL, DYNAMORIO
from malloom.bench.dynamic.ways import commands_of, native, under_dynamorio
from malloom.bench.goals import Goal
from malloom.bench.inputs.documents import write_json
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.process import Command
from malloom.measure.rows import Row

PROGRAMS = {"gzip": ("gzip", "-9", "-c"), "sha256sum": ("sha256sum",)}
"""Programs that every Debian has, with the arguments before the file's name."""


def quiet_rows(bench: Bench, program: str, megabytes: int, budget: Budget) -> list[Row | Goal]:
    """One program over a generated document, natively, under DynamoRIO, and with the optimiser."""
    document = bench.scratch / f"orders-{megabytes}.json"
    if not document.exists():
        write_json(document, megabytes * 1_000_000)
    command = Command([*PROGRAMS[program], str(document)])
    wanted = [way for way in under_dynamorio() if way.name in (DYNAMORIO, ALL)]
    commands = commands_of(bench, command, [native(), *wanted])
    bench.say(f"measuring {program}: {', '.join(commands)}")
    rounds = run_interleaved(commands, variants.GLIBC, budget, progress=bench.progress, failed=bench.failed)
    place = (program, f"{megabytes} MB document")
    pairs = [(DYNAMORIO, variants.GLIBC), (ALL, variants.GLIBC), (ALL, DYNAMORIO)]
    rows = [
        measured_row(place, rounds, name, baseline, "cpu_time")
        for name, baseline in pairs
        if rounds.runs.get(name) and rounds.runs.get(baseline)
    ]
    return [*rows, *_goals(rows)]


def _goals(rows: Sequence[Row]) -> list[Goal]:
    return [Goal(each, NO_SLOWER) for each in rows if each.baseline == DYNAMORIO]
