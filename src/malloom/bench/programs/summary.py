"""What holds over all programs: means, what the user must regret, and whose the gain is."""

from collections import Counter

from malloom.bench.general import BEST
from malloom.bench.goals import Goal, Of
from malloom.bench.means import geometric_mean, mean_of_programs
from malloom.bench.numbers import number_rows
from malloom.bench.programs.chosen import KINDS, NOTHING
from malloom.bench.programs.held_out import BEST_ROW, KEPT, UNLIMITED, WITHOUT, HeldOut, Judged, failed
from malloom.bench.programs.scale import Aim
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, control_rows, measured_row, row
from malloom.measure.variants import GLIBC

REGRET = 1.01
"""Of the mean against the best row."""
MOST_PEAK = 1.10
"""Of the best setting's peak memory, on the input where it is most."""
PROGRAMS = "programs"
"""The metric of how many kept what."""


def summary(judged: HeldOut, aim: Aim) -> list[Row | Goal]:
    """Of the programs that were measured; nothing where none was. Means are of the inputs on which the
    program runs with what is kept; a goal counts the others."""
    if not judged:
        return []
    there = {place: each for place, each in judged.items() if KEPT in each.rounds.runs}
    failures = failed(("what is kept", f"{len(judged)} held-out inputs"), len(judged) - len(there))
    if not there:
        return [failures]
    controls = [
        each for place in there for each in control_rows(place, there[place].rounds, GLIBC, aim.metric)
    ]
    means = [*_means(there, aim), *_most_memory(there, aim.metric)]
    return [*controls, *means, failures, *_counts(there), *_parts(there, aim.metric)]


def _most_memory(judged: dict[Place, Judged], metric: str) -> list[Goal]:
    """The input on which what is kept needs most, beside the best setting."""
    rows = [measured_row(place, each.against_best, KEPT, BEST, metric) for place, each in judged.items()]
    most = max(rows, key=lambda row: row.peak_rss_ratio or 0.0)
    return [] if most.peak_rss_ratio is None else [Goal(most, MOST_PEAK, Of.PEAK)]


def _means(judged: dict[Place, Judged], aim: Aim) -> list[Row | Goal]:
    """The inputs of a program together count as much as those of another."""
    whole = {place: (each.rounds, GLIBC) for place, each in judged.items()}
    even = {place: each.against_best for place, each in judged.items()}
    against = {
        name: {place: (rounds, name) for place, rounds in even.items()}
        for name in (GLIBC, BEST, UNLIMITED, BEST_ROW)
    }
    gain = mean_of_programs(against[BEST], "programs", KEPT, BEST, aim.metric)
    regret = mean_of_programs(against[BEST_ROW], "programs", KEPT, BEST_ROW, aim.metric)
    return [
        *mean_of_programs(whole, "programs", KEPT, GLIBC, aim.metric),
        *mean_of_programs(against[GLIBC], "programs", BEST, GLIBC, aim.metric),
        *gain,
        *(Goal(each, aim.gain) for each in gain),
        *mean_of_programs(against[UNLIMITED], "programs", KEPT, UNLIMITED, aim.metric),
        *regret,
        *(Goal(each, REGRET) for each in regret),
    ]


def _counts(judged: dict[Place, Judged]) -> list[Row]:
    """How many programs kept what; one that kept pools and prefetches counts in both."""
    kinds = {program: each.kinds for (program, _), each in judged.items()}
    counts = Counter(kind for found in kinds.values() for kind in found)
    place = ("what is kept", f"of {len(kinds)} programs")
    return number_rows(place, PROGRAMS, {kind: counts[kind] for kind in KINDS})


def _parts(judged: dict[Place, Judged], metric: str) -> list[Row]:
    """What each part of what is kept does, a program's held-out inputs together."""
    of_programs: dict[str, list[Judged]] = {}
    for (program, _), each in judged.items():
        of_programs.setdefault(program, []).append(each)
    return [found for program, races in of_programs.items() for found in _parts_of(program, races, metric)]


def _parts_of(program: str, races: list[Judged], metric: str) -> list[Row]:
    place = (program, "held-out")
    if not any(each.parts for each in races):
        return [row(place, NOTHING, WITHOUT, metric, exact(1.0))]
    ratios: dict[str, list[list[float]]] = {}
    for each in races:
        for part, variant, before in each.parts:
            ratios.setdefault(part, []).append(each.rounds.pair_ratios(variant, before, metric))
    behind = tuple(race for each in races for race in each.rounds.races)
    fewest = min(len(each.rounds) for each in races)
    return [
        row(place, part, WITHOUT, metric, geometric_mean(found), runs=fewest, races=behind)
        for part, found in ratios.items()
    ]
