"""What `malloom optimize` keeps of a program, at a quarter to sixteen times the learned heap."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from malloom.bench.cases import Case
from malloom.bench.dynamic.times import LEARNED_AT
from malloom.bench.gathered import Races
from malloom.bench.general import BEST, finalists, general_variants
from malloom.bench.goals import Goal, Of
from malloom.bench.halves import with_best
from malloom.bench.kept import Kept, optimized_on, unchanged_row
from malloom.bench.means import mean_of_programs, mean_row
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import PROGRAMS, sized
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.rows import Place, Row, measured_row, rows_of
from malloom.measure.variants import GLIBC, Variant, native

KEPT = "kept"
"""What malloom leaves its user with."""
TRAINED_ON = ("0.35x", "0.7x")
"""On both sides of LEARNED_AT, and far enough apart that treeadd, whose tree doubles, has two inputs."""
CHECKED_ON = "1x"
RACED_AT = ("0.125x", LEARNED_AT, "2x", "8x")
"""A quarter, one, four and sixteen times LEARNED_AT. `malloom optimize` is told of none of them."""
LEARNED_NEAR = f"learned near {LEARNED_AT}"
LARGEST_LEVEL = 32 << 20
"""Bytes. Heaps are sized by a last level of at most so many, so that the largest has 256 MB and a run of it
takes seconds, on machines with much larger caches too."""
NO_SLOWER = 1.01
"""Of the program as it is, and of the best general setting, at the interval's low end."""
HELD_AT = (LEARNED_AT, "2x")
"""Where what is kept is held against the best general setting too: at sixteen times the heap a run of each
takes minutes."""
GAIN = 0.80
"""Of the best general setting, in the mean over the ten programs at both sizes."""
HEAT_ROUNDS = 3
FINALISTS = 3
"""General settings that are in the race after the heat of all."""


@dataclass(frozen=True)
class Learned:
    """A program whose heaps are sized by a last-level cache of so many bytes."""

    program: str
    last_level: int

    def at(self, size: str, beside: str = "") -> Case:
        return sized(self.program, size, self.last_level, beside)


def other_size_rows(
    bench: Bench, wanted: Learned, seconds: float | None, budget: Budget, races: Races
) -> list[Row | Goal]:
    """What is kept against the program as it is, at every size, and at HELD_AT against the best general
    setting; `seconds` are for the runs of `malloom optimize`."""
    train = [wanted.at(size) for size in TRAINED_ON]
    kept = optimized_on(bench, train, [wanted.at(CHECKED_ON)], seconds)
    bench.note("; ".join([f"kept: {kept.described}", *kept.notes]))
    found: list[Row | Goal] = []
    for size in RACED_AT:
        case = wanted.at(size, LEARNED_NEAR)
        likely = _likely(bench, case, budget) if size in HELD_AT else []
        if kept.plan is None:
            found.append(unchanged_row(case.place, KEPT, GLIBC))
        if kept.plan or likely:
            races[case.place] = _raced(bench, case, likely, kept, budget)
            found += _rows_of_race(case.place, races[case.place])
    return found


def _likely(bench: Bench, case: Case, budget: Budget) -> list[Variant]:
    """The general settings that were fastest in a heat of all, but for the program as it is."""
    variants = {each.name: each for each in general_variants(bench)}
    rounds = min(HEAT_ROUNDS, budget.most)
    heat = bench.race(case, [*variants.values()], GLIBC, Budget(rounds, rounds))
    fastest = finalists(heat, variants, "cpu_time", FINALISTS)
    return [variants[name] for name in fastest if name != GLIBC]


def _raced(bench: Bench, case: Case, likely: Sequence[Variant], kept: Kept, budget: Budget) -> Rounds:
    """Where nothing is kept, that is the program as it is."""
    changed = [kept.variant(KEPT)] if kept.plan else []
    rounds = bench.race(case, [native(), *likely, *changed], GLIBC, budget)
    return rounds if kept.plan else replace(rounds, runs={**rounds.runs, KEPT: rounds.runs[GLIBC]})


def _rows_of_race(place: Place, rounds: Rounds) -> list[Row | Goal]:
    others = {name: runs for name, runs in rounds.runs.items() if name != KEPT or _is_changed(rounds)}
    rows: list[Row | Goal] = [*rows_of(place, replace(rounds, runs=others), GLIBC, ("cpu_time",))]
    if not rounds.runs.get(KEPT):
        return rows
    if _is_changed(rounds):
        rows.append(Goal(measured_row(place, rounds, KEPT, GLIBC, "cpu_time"), NO_SLOWER, Of.LOW))
    if settings := _settings(rounds):
        against = measured_row(place, with_best(rounds, {BEST: settings}, "cpu_time"), KEPT, BEST, "cpu_time")
        rows += [against, Goal(against, NO_SLOWER, Of.LOW)]
    return rows


def _is_changed(rounds: Rounds) -> bool:
    """Whether something is kept."""
    return rounds.runs.get(KEPT) != rounds.runs.get(GLIBC)


def _settings(rounds: Rounds) -> list[str]:
    """The general settings that were raced, where others were than the program as it is."""
    others = [name for name in rounds.runs if name not in (GLIBC, again(GLIBC), KEPT)]
    return [GLIBC, *others] if others else []


def other_size_means(races: Races) -> list[Row | Goal]:
    """At each size, over those of the ten programs of which something is kept; and against the best general
    setting over all of the ten, at the sizes at which it was measured."""
    ten = {place: rounds for place, rounds in races.items() if place[0] in PROGRAMS}
    of_the_ten = {place: rounds for place, rounds in ten.items() if _is_changed(rounds)}
    by_size = {
        given: {place: rounds for place, rounds in of_the_ten.items() if place[1] == given}
        for given in (f"{size} {LEARNED_NEAR}" for size in RACED_AT)
    }
    means = [
        mean
        for given, found in by_size.items()
        if len(found) > 1
        for mean in mean_row(found, f"programs at {given}", KEPT, GLIBC)
    ]
    held = {
        place: (with_best(rounds, {BEST: _settings(rounds)}, "cpu_time"), BEST)
        for place, rounds in ten.items()
        if _settings(rounds) and rounds.runs.get(KEPT)
    }
    sizes = " and ".join(HELD_AT)
    gains = mean_of_programs(held, f"programs at {sizes} {LEARNED_NEAR}", KEPT, BEST)
    return [*means, *gains, *(Goal(each, GAIN) for each in gains)]
