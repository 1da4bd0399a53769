"""Times of the workloads under plans and general allocators (tables 5.1, 5.2, 5.9 and 5.11 to 5.14)."""

from malloom.bench.cases import Case
from malloom.bench.general import general_variants
from malloom.bench.placement.plans import plan_of, plans_of
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, rows_of
from malloom.measure.variants import GLIBC, native, with_environment
from malloom.settings import with_setting

SEQUENTIAL = "sequential"
USAGE = "usage-depth-first"
NOT_PREALLOCATED = "not-preallocated"
STATISTICS = "statistics"


def strategy_rows(bench: Bench, case: Case, names: list[str], budget: Budget) -> list[Row]:
    """Every strategy and every general allocator, against sequential placement and against the C library."""
    plans = plans_of(bench, case, names)
    placed = [with_environment(name, variants.planned(plan)) for name, plan in plans.items()]
    rounds = bench.race(case, [*general_variants(bench), *placed], GLIBC, budget, controls=(SEQUENTIAL,))
    metrics = ("cpu_time", case.measure)
    return [row for baseline in (SEQUENTIAL, GLIBC) for row in rows_of(case.place, rounds, baseline, metrics)]


def preallocation_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """The C library against placement with and without preallocation (table 5.9)."""
    wanted = [native()]
    for strategy in (SEQUENTIAL, USAGE):
        plan = plan_of(bench, case, strategy)
        for name, preallocate in ((strategy, True), (f"{strategy} {NOT_PREALLOCATED}", False)):
            wanted.append(with_environment(name, variants.planned(plan, preallocate=preallocate)))
    rounds = bench.race(case, wanted, GLIBC, budget)
    return rows_of(case.place, rounds, GLIBC, ("cpu_time",))


def statistics_rows(bench: Bench, case: Case, budget: Budget) -> list[Row]:
    """What a run time that can also report costs over one that only places (tables 5.13 and 5.14).

    The thesis took the recording out of its library; ours never had it, so the nearest question is what
    counting for the statistics costs.
    """
    plan = variants.planned(plan_of(bench, case, SEQUENTIAL))
    counting = with_setting(plan, "statistics", "1")
    wanted = [
        with_environment(SEQUENTIAL, plan),
        with_environment(f"{SEQUENTIAL} {STATISTICS}", counting),
    ]
    rounds = bench.race(case, wanted, SEQUENTIAL, budget)
    return rows_of(case.place, rounds, SEQUENTIAL, ("cpu_time",))
