"""Misses of every strategy at the thesis's geometry, counted by cachegrind (tables 5.3 to 5.8 and 5.10)."""

from collections.abc import Sequence

from malloom.bench.cases import Case
from malloom.bench.placement.plans import plans_of
from malloom.bench.placement.races import SEQUENTIAL
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.rows import Row
from malloom.measure.valgrind import count_misses, miss_rows
from malloom.measure.variants import GLIBC, native, with_environment


def strategy_miss_rows(bench: Bench, case: Case, names: Sequence[str]) -> list[Row]:
    """Every strategy against sequential placement, and both against the C library's allocator."""
    plans = plans_of(bench, case, names)
    placed = [with_environment(name, variants.planned(plan)) for name, plan in plans.items()]
    commands = bench.commands_of(case, [native(), *placed])
    counts = bench.counted(f"misses of {case}", commands, count_misses)
    baselines = [name for name in (SEQUENTIAL, GLIBC) if name in counts]
    return [row for baseline in baselines for row in miss_rows(case.place, counts, baseline)]
