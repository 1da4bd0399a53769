"""The goals on speed: what `malloom optimize` leaves its user with against the C library and against the best
general allocator, and plans where they do not fit."""

from collections.abc import Sequence

from malloom.bench.cases import Case, OtherProgram
from malloom.bench.general import general_variants, row_against_best
from malloom.bench.goals import Goal, Of, against_limit
from malloom.bench.kept import optimized
from malloom.bench.placement.plans import plan_of
from malloom.bench.placement.races import SEQUENTIAL
from malloom.bench.steps import Bench
from malloom.layout.registry import AUTO
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.rows import Place, Row, control_rows, measured_row, row, rows_of
from malloom.measure.variants import GLIBC, native, with_environment

FALLBACK = "fallback"
OPTIMIZED = "optimize"
LARGE_PLAN = "large plan"
LONGEST_START_UP = 2e-3
"""Seconds that mapping it may take."""


def speed_goals(
    bench: Bench, case: Case, metric: str, limit: float, budget: Budget, seconds: float | None
) -> list[Row | Goal]:
    """What is kept against the C library: time, and peak memory at most 1.10. Beside it stands the plan that
    simulation alone chooses."""
    kept = optimized(bench, case, seconds)
    bench.note(f"{OPTIMIZED}: {kept.described}")
    simulated = with_environment(AUTO, variants.as_run(plan_of(bench, case, AUTO)))
    rounds = bench.race(case, [native(), kept.variant(OPTIMIZED), simulated], GLIBC, budget, metric)
    measured = measured_row(case.place, rounds, OPTIMIZED, GLIBC, metric)
    alone = [measured_row(case.place, rounds, name, GLIBC, metric) for name in (AUTO,) if name in rounds.runs]
    goals = [Goal(measured, limit), Goal(measured, 1.10, Of.PEAK)]
    return [*control_rows(case.place, rounds, GLIBC, metric), *alone, *goals]


def peers_goals(bench: Bench, case: Case, budget: Budget, seconds: float | None) -> list[Row | Goal]:
    """What `malloom optimize` leaves the user with against the best of the general allocators: never slower.

    Where it keeps no plan the program runs as it is. Beside it, without a limit, stands the plan that
    simulation alone chooses: nothing has measured whether that helps.
    """
    kept = optimized(bench, case, seconds)
    bench.note(f"{OPTIMIZED}: {kept.described}")
    simulated = with_environment(AUTO, variants.as_run(plan_of(bench, case, AUTO)))
    peers = general_variants(bench)
    rounds = bench.race(case, [*peers, kept.variant(OPTIMIZED), simulated], GLIBC, budget)
    names = [peer.name for peer in peers]
    alone = [row_against_best(case.place, rounds, AUTO, names)] if AUTO in rounds.runs else []
    held = row_against_best(case.place, rounds, OPTIMIZED, names)
    return [*control_rows(case.place, rounds, GLIBC), *alone, Goal(held, 1.00)]


def foreign_plan_goals(bench: Bench, case: Case, others: Sequence[Case], budget: Budget) -> list[Row | Goal]:
    """Plans that were made for something else, against the fallback alone; the race checks the output."""
    wanted = [with_environment(FALLBACK, variants.fallback())]
    for other in others:
        plan = plan_of(bench, other, AUTO)
        wanted.append(with_environment(f"plan of {other}", variants.planned(plan)))
    rounds = bench.race(case, wanted, FALLBACK, budget)
    names = [variant.name for variant in wanted[1:] if variant.name in rounds.runs]
    goals = [Goal(measured_row(case.place, rounds, name, FALLBACK, "cpu_time"), 1.02) for name in names]
    return [*control_rows(case.place, rounds, FALLBACK), *goals]


def start_up_goals(bench: Bench, tiny: Case, large: Case, budget: Budget) -> list[Row | Goal]:
    """What mapping a plan of a million slots adds to a program that does next to nothing: at most 2 ms. Its
    control is what the fallback adds to itself."""
    plan = plan_of(bench, large, SEQUENTIAL)
    with_plan = with_environment(LARGE_PLAN, variants.planned(plan))
    rounds = bench.race(tiny, [with_environment(FALLBACK, variants.fallback()), with_plan], FALLBACK, budget)
    place = (tiny.workload, f"{tiny.input}, plan of {large}")
    controls = [again(FALLBACK)] if rounds.runs.get(again(FALLBACK)) else []
    return [
        *(_added_goal(place, rounds, name).row for name in controls),
        _added_goal(place, rounds, LARGE_PLAN),
    ]


def _added_goal(place: Place, rounds: Rounds, variant: str) -> Goal:
    """The CPU time that a variant takes beyond the fallback alone."""
    times = [rounds.values(name, "cpu_time") for name in (variant, FALLBACK)]
    added = [with_it - without for with_it, without in zip(*times, strict=True)]
    return against_limit(place, variant, "start_up_time", added, LONGEST_START_UP, rounds.races)


def verdict_goals(
    bench: Bench, program: OtherProgram, budget: Budget, seconds: float | None
) -> list[Row | Goal]:
    """A real program, optimized as a user would have it optimized. The goal is a verdict on the same output,
    whichever way it goes. Then what is kept and the general allocators, all in one race."""
    kept = optimized(bench, program, seconds)
    for note in kept.notes:
        bench.say(f"note: {note}")
    variant = f"optimize: {kept.strategy}, {kept.verdict}"
    measured = row(
        program.place, variant, GLIBC, "cpu_time", kept.interval, runs=kept.pairs, peak=kept.peak_ratio
    )
    peers = general_variants(bench)
    rounds = bench.race(program, [*peers, kept.variant(OPTIMIZED)], GLIBC, budget)
    raced = rows_of(program.place, rounds, GLIBC, ("cpu_time",))
    against_best = row_against_best(program.place, rounds, OPTIMIZED, [peer.name for peer in peers])
    return [Goal(measured, limit=None), *raced, against_best]
