"""Interleaved runs of one workload, and the rows that they give."""

from collections.abc import Mapping

from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.rows import Row, row


def race(
    bench: Bench, case: Case, environments: Mapping[str, Mapping[str, str]], budget: Budget, baseline: str
) -> Rounds:
    """Interleaved runs of a case under each environment."""
    bench.say(f"measuring {case.workload} {case.input}: {', '.join(environments)}")
    command = case.command(bench.workloads)
    commands = {name: command.with_environment(added) for name, added in environments.items()}
    return run_interleaved(commands, baseline, budget, progress=bench.progress, failed=bench.failed)


def rows_of(place: tuple[str, str], rounds: Rounds, baseline: str, metrics: tuple[str, ...]) -> list[Row]:
    """A row of `place` (workload, input) for every other variant and metric; none where the baseline left."""
    if baseline not in rounds.runs:
        return []
    return [
        measured_row(place, rounds, name, baseline, metric)
        for metric in metrics
        for name in rounds.runs
        if name != baseline
    ]


def measured_row(place: tuple[str, str], rounds: Rounds, variant: str, baseline: str, metric: str) -> Row:
    """What a race says of a variant, its peak memory included."""
    interval = rounds.ratio(variant, baseline, metric)
    peak = rounds.peak_ratio(variant, baseline)
    return row(place, variant, baseline, metric, interval, runs=len(rounds), peak=peak)
