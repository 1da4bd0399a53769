"""Times of the workloads under plans and general allocators (tables 5.1, 5.2, 5.9 and 5.11 to 5.14)."""

from collections.abc import Mapping

from malloom.bench import variants
from malloom.bench.pairs import Budget, Rounds, run_interleaved
from malloom.bench.placement.plans import Bench, all_planned, planned
from malloom.bench.rows import Row, row
from malloom.bench.workloads import Case
from malloom.settings import with_setting

SEQUENTIAL = "sequential"
USAGE = "usage-depth-first"
NOT_PREALLOCATED = "not-preallocated"
STATISTICS = "statistics"


def race(
    bench: Bench, case: Case, environments: Mapping[str, Mapping[str, str]], budget: Budget, baseline: str
) -> Rounds:
    """Interleaved runs of a case under each environment."""
    bench.say(f"measuring {case.workload} {case.input}: {', '.join(environments)}")
    command = case.command(bench.workloads)
    commands = {name: command.with_environment(added) for name, added in environments.items()}
    return run_interleaved(commands, baseline, budget, progress=bench.progress, failed=bench.failed)


def rows_of(case: Case, rounds: Rounds, baseline: str, metrics: tuple[str, ...]) -> list[Row]:
    """A row for every other variant and metric; none where the baseline left the race."""
    if baseline not in rounds.runs:
        return []
    return [
        row(
            case.place,
            name,
            baseline,
            metric,
            rounds.ratio(name, baseline, metric),
            runs=len(rounds),
            peak=rounds.peak_ratio(name, baseline),
        )
        for metric in metrics
        for name in rounds.runs
        if name != baseline
    ]


def strategy_rows(bench: Bench, case: Case, names: list[str], budget: Budget) -> list[Row]:
    """Every strategy and every general allocator, against sequential placement and against the C library."""
    environments = variants.general_allocators()
    plans = all_planned(bench, case, names)
    environments |= {name: variants.planned(plan) for name, plan in plans.items()}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    metrics = ("cpu_time", case.phase)
    return rows_of(case, rounds, SEQUENTIAL, metrics) + rows_of(case, rounds, variants.GLIBC, metrics)


def preallocation_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """The C library against placement with and without preallocation (table 5.9)."""
    environments: dict[str, dict[str, str]] = {variants.GLIBC: {}}
    for strategy in (SEQUENTIAL, USAGE):
        plan = planned(bench, case, strategy)
        environments[strategy] = variants.planned(plan, preallocate=True)
        environments[f"{strategy} {NOT_PREALLOCATED}"] = variants.planned(plan, preallocate=False)
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    return rows_of(case, rounds, variants.GLIBC, ("cpu_time",))


def statistics_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """What a run time that can also report costs over one that only places (tables 5.13 and 5.14).

    The thesis took the recording out of its library; ours never had it, so the nearest question is what
    counting for the statistics costs.
    """
    plan = variants.planned(planned(bench, case, SEQUENTIAL))
    with_statistics = f"{SEQUENTIAL} {STATISTICS}"
    environments = {SEQUENTIAL: plan, with_statistics: with_setting(plan, "statistics", "1")}
    rounds = race(bench, case, environments, budget, SEQUENTIAL)
    return rows_of(case, rounds, SEQUENTIAL, ("cpu_time",))
