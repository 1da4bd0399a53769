"""Misses of every strategy at the thesis's geometry, counted by cachegrind (tables 5.3 to 5.8 and 5.10)."""

from collections.abc import Sequence

from malloom.bench.placement.plans import all_planned
from malloom.bench.placement.races import SEQUENTIAL
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interval import exact
from malloom.measure.rows import Row, row
from malloom.measure.valgrind import Misses, count_misses

METRICS = ("l1d_misses", "llc_misses")


def miss_rows(bench: Bench, case: Case, names: Sequence[str]) -> list[Row]:
    """Every strategy against sequential placement, and both against the C library's allocator."""
    command = case.command(bench.workloads)
    environments: dict[str, dict[str, str]] = {variants.GLIBC: {}}
    plans = all_planned(bench, case, names)
    environments |= {name: variants.planned(plan) for name, plan in plans.items()}
    counts = {}
    for name, added in environments.items():
        bench.say(f"counting misses of {case.workload} {case.input}: {name}")
        try:
            counts[name] = count_misses(command.with_environment(added))
        except CommandError as error:
            bench.failed(name, error)
    return [
        each
        for baseline in (SEQUENTIAL, variants.GLIBC)
        if baseline in counts
        for name, counted in counts.items()
        if name != baseline
        for each in _rows_of(case, name, counted, baseline, counts[baseline])
    ]


def _rows_of(case: Case, name: str, counted: Misses, baseline: str, base: Misses) -> list[Row]:
    ratios = {metric: getattr(counted, metric) / getattr(base, metric) for metric in METRICS}
    return [row(case.place, name, baseline, metric, exact(ratio)) for metric, ratio in ratios.items()]
