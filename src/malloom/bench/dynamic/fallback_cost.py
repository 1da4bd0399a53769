"""What a request takes more on its way to the fallback than in mimalloc of the same source, preloaded itself:
where nothing is pooled, with one thread and with two."""

from malloom.bench.general import allocator_settings
from malloom.bench.goals import Goal
from malloom.bench.malloc_free import TIME, Work
from malloom.bench.steps import Bench
from malloom.measure import variants
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import with_environment

PATTERN, LARGEST = "mixed", 2048
"""Sizes up to so many bytes."""
MIMALLOC, FALLBACK = "mimalloc", "fallback"
MOST = 1.02


def fallback_cost_rows(bench: Bench, threads: int, objects: int, budget: Budget) -> list[Row | Goal]:
    """A race of the two. Raises CommandError where mimalloc is missing."""
    case = Work(PATTERN, LARGEST, objects).case(threads)
    peer = with_environment(MIMALLOC, allocator_settings(bench)[MIMALLOC].environment)
    ours = with_environment(FALLBACK, variants.fallback())
    what = f"{case}, threads: {threads}"
    rounds = bench.race_of(what, bench.commands_of(case, [peer, ours]), MIMALLOC, budget, TIME)
    place = (case.place[0], f"{case.place[1]}, threads: {threads}")
    held = measured_row(place, rounds, FALLBACK, MIMALLOC, TIME)
    return [held, *control_rows(place, rounds, MIMALLOC, TIME), Goal(held, MOST)]
