"""What `malloom optimize` keeps of a program, at a quarter to sixteen times the learned heap."""

from dataclasses import dataclass

from malloom.bench.cases import Case
from malloom.bench.dynamic.times import LEARNED_AT
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal, Of
from malloom.bench.kept import optimized_on, unchanged_row
from malloom.bench.means import mean_row
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import PROGRAMS, sized
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Place, Row, measured_row, rows_of
from malloom.measure.variants import GLIBC, native

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
"""Of the program as it is, at the interval's low end."""


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
    """What is kept against the program as it is, at every size; `seconds` are for the runs of
    `malloom optimize`."""
    train = [wanted.at(size) for size in TRAINED_ON]
    kept = optimized_on(bench, train, [wanted.at(CHECKED_ON)], seconds)
    bench.note("; ".join([f"kept: {kept.described}", *kept.notes]))
    cases = [wanted.at(size, LEARNED_NEAR) for size in RACED_AT]
    if kept.plan is None:
        return [unchanged_row(case.place, KEPT, GLIBC) for case in cases]
    found: list[Row | Goal] = []
    for case in cases:
        rounds = bench.race(case, [native(), kept.variant(KEPT)], GLIBC, budget)
        races[case.place] = rounds
        found += _rows_of_race(case.place, rounds)
    return found


def _rows_of_race(place: Place, rounds: Rounds) -> list[Row | Goal]:
    rows = rows_of(place, rounds, GLIBC, ("cpu_time",))
    if not rounds.runs.get(KEPT):
        return [*rows]
    return [*rows, Goal(measured_row(place, rounds, KEPT, GLIBC, "cpu_time"), NO_SLOWER, Of.LOW)]


def other_size_means(races: Races) -> list[Row]:
    """At each size, over those of the ten programs of which something is kept."""
    of_the_ten = {place: rounds for place, rounds in races.items() if place[0] in PROGRAMS}
    by_size = {
        given: {place: rounds for place, rounds in of_the_ten.items() if place[1] == given}
        for given in (f"{size} {LEARNED_NEAR}" for size in RACED_AT)
    }
    return [
        mean
        for given, found in by_size.items()
        if len(found) > 1
        for mean in mean_row(found, f"programs at {given}", KEPT, GLIBC)
    ]
