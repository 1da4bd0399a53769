"""Times of the workloads under plans and general allocators (tables 5.1, 5.2, 5.9 and 5.11 to 5.14)."""

from malloom.bench.placement.plans import all_planned, planned
from malloom.bench.races import race, rows_of
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.measure import variants
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row
from malloom.settings import with_setting

SEQUENTIAL = "sequential"
USAGE = "usage-depth-first"
NOT_PREALLOCATED = "not-preallocated"
STATISTICS = "statistics"


def strategy_rows(bench: Bench, case: Case, names: list[str], budget: Budget) -> list[Row]:
    """Every strategy and every general allocator, against sequential placement and against the C library."""
    environments = variants.general_allocators()
    plans = all_planned(bench, case, names)
    environments |= {name: variants.planned(plan) for name, plan in plans.items()}
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    metrics = ("cpu_time", case.phase)
    baselines = (SEQUENTIAL, variants.GLIBC)
    return [row for baseline in baselines for row in rows_of(case.place, rounds, baseline, metrics)]


def preallocation_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """The C library against placement with and without preallocation (table 5.9)."""
    environments: dict[str, dict[str, str]] = {variants.GLIBC: {}}
    for strategy in (SEQUENTIAL, USAGE):
        plan = planned(bench, case, strategy)
        environments[strategy] = variants.planned(plan, preallocate=True)
        environments[f"{strategy} {NOT_PREALLOCATED}"] = variants.planned(plan, preallocate=False)
    rounds = race(bench, case, environments, budget, variants.GLIBC)
    return rows_of(case.place, rounds, variants.GLIBC, ("cpu_time",))


def statistics_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """What a run time that can also report costs over one that only places (tables 5.13 and 5.14).

    The thesis took the recording out of its library; ours never had it, so the nearest question is what
    counting for the statistics costs.
    """
    plan = variants.planned(planned(bench, case, SEQUENTIAL))
    with_statistics = f"{SEQUENTIAL} {STATISTICS}"
    environments = {SEQUENTIAL: plan, with_statistics: with_setting(plan, "statistics", "1")}
    rounds = race(bench, case, environments, budget, SEQUENTIAL)
    return rows_of(case.place, rounds, SEQUENTIAL, ("cpu_time",))
