"""The page heap behind programs of this machine: what each way to search bitmaps takes of instructions, and
CPU time and peak memory beside general allocators."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from malloom.bench.builds import built
from malloom.bench.cases import Case, cover, hexapawn, traverse
from malloom.bench.gathered import Gathered, Races
from malloom.bench.general import allocator_settings
from malloom.bench.goals import Goal
from malloom.bench.means import MEAN, mean_of, mean_row
from malloom.bench.numbers import number_rows
from malloom.bench.pages.programs import PROGRAMS as OF_THE_PAPER
from malloom.bench.pages.programs import Program, Scale
from malloom.bench.pages.simulation import LINEAR
from malloom.bench.steps import Bench, Step, conclusion
from malloom.bench.ten_programs import PROGRAMS, sized
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.interval import exact, median_ratio
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row, control_rows, measured_row, row
from malloom.measure.valgrind import output_of_valgrind
from malloom.measure.variants import GLIBC, PAGES, Variant, native, pages, with_environment

COUNTS, TIMES = "host-instructions", "host-times"
GROUP = "host"
INSTRUCTIONS, MILLIONS, PEAK = "management_instructions", "million_instructions", "peak_memory"
CTZ = "ctz"
SEARCHES = (LINEAR, "kamp", CTZ, "vector")
"""Values of the build option that says how the page heap searches (runtime/heaps/pages/adapter)."""
OPTION = "MALLOOM_PAGE_SEARCH"
ADDRESSES = 32 << 30
"""Bytes of address space that valgrind has: the page heap then reserves what valgrind has room for."""
SERVES = "PagesOfThread"
"""What functions of the page heap have in their names."""
CTZ_LIMIT, TIME_LIMIT = 0.70, 1.05
"""Of linear's instructions, and of the C library's CPU time, in the mean."""
OTHERS = ("mimalloc", "jemalloc", "tcmalloc")
SIZE, LAST_LEVEL = "0.5x", 32 << 20
"""Heaps of 16 MB of the programs that can be sized, whatever the machine."""


class Counted(Gathered[dict[str, int]]):
    """Instructions by search."""

    kind = dict[str, int]


def count_steps(programs: Sequence[Program], scale: Scale) -> list[Step]:
    counted = Counted()

    def step(program: Program) -> Step:
        case = program.case(scale)
        measure = partial(_count, case=case, counted=counted)
        return Step(COUNTS, str(case), measure, 20.0, gathers=counted)

    return [*map(step, programs), conclusion(COUNTS, MEAN, lambda: mean_of_counts(counted))]


def _count(bench: Bench, case: Case, counted: Counted) -> list[Row]:
    found = {}
    for search in SEARCHES:
        library = built(bench, "HEAD", f"{OPTION}={search}").folder / "runtime/front/libmalloom.so"
        bench.say(f"counting instructions of {case}: {search}")
        command = pages().of(case.command(bench)).with_environment({"LD_PRELOAD": str(library)})
        found[search] = management_instructions(command, library)
    counted[case.place] = found
    return [
        *_against_linear(case.place, found),
        *number_rows(case.place, MILLIONS, {name: count / 1e6 for name, count in found.items()}),
    ]


def management_instructions(command: Command, library: Path) -> int:
    """What of a run callgrind counts within the library. Clearing and copying are the C library's. Raises
    CommandError where the page heap did not serve."""
    options = ("--compress-strings=no", "--compress-pos=no")
    profile = output_of_valgrind(command, "callgrind", *options, addresses=ADDRESSES)
    if SERVES not in profile:
        raise CommandError(f"the page heap of {library} did not serve {command.arguments[0]}")
    return instructions_in(profile, library)


def instructions_in(profile: str, library: Path) -> int:
    """Of callgrind's file: lines of a place and a count, those after a call's without, as they count what it
    called."""
    total = 0
    is_within = is_call = False
    for line in profile.splitlines():
        if line.startswith("ob="):
            is_within = line[3:] == str(library)
        elif is_within and not is_call and line[:1].isdigit():
            total += int(line.split()[1])
        is_call = line.startswith("calls=")
    return total


def _against_linear(place: Place, found: dict[str, int]) -> list[Row]:
    return [
        row(place, name, LINEAR, INSTRUCTIONS, exact(count / found[LINEAR]))
        for name, count in found.items()
        if name != LINEAR
    ]


def mean_of_counts(counted: Counted) -> list[Row | Goal]:
    """Geometric, over the programs."""
    if not counted:
        return []
    place = (MEAN, f"{len(counted)} programs")
    means = [
        row(
            place,
            name,
            LINEAR,
            INSTRUCTIONS,
            exact(mean_of([found[name] / found[LINEAR] for found in counted.values()])),
        )
        for name in SEARCHES[1:]
    ]
    return [*means, *(Goal(each, CTZ_LIMIT) for each in means if each.variant == CTZ)]


def timed_cases() -> list[Case]:
    """The tree's programs, each with one input: the largest that there is, or one that takes about a second.
    None was chosen by its result."""
    return [
        *(sized(name, SIZE, LAST_LEVEL) for name in PROGRAMS),
        Case("bh", ("16384", "4"), ""),
        Case("power", ("100",), ""),
        *(program.case(Scale.TIMED) for program in OF_THE_PAPER if program.timed),
        Case("factors", ("100000000000880000000001887",), "factor_time"),
        Case("interpreter", ("words", "4"), "run_time"),
        Case("list_walk", ("1000000", "60"), "walk_time"),
        traverse(20, 20),
        cover(800),
        hexapawn(4, 4),
    ]


QUICK = [Case("treeadd", ("10", "1"), ""), Case("health", ("3", "10", "1"), "")]


def time_steps(quick: bool) -> list[Step]:
    races = Races()
    cases = QUICK if quick else timed_cases()
    budget = Budget(fewest=2, most=2) if quick else Budget(fewest=6, most=8, seconds=30.0)

    def step(case: Case) -> Step:
        measure = partial(_race, case=case, budget=budget, races=races)
        return Step(TIMES, str(case), measure, budget.seconds if not quick else 2.0, gathers=races)

    return [*map(step, cases), conclusion(TIMES, MEAN, lambda: mean_of_times(races))]


def _race(bench: Bench, case: Case, budget: Budget, races: Races) -> list[Row]:
    rounds = bench.race(case, [native(), *_others(bench), pages()], GLIBC, budget)
    races[case.place] = rounds
    there = [name for name in (PAGES, *OTHERS) if rounds.runs.get(name)]
    return [
        *control_rows(case.place, rounds, GLIBC),
        *(measured_row(case.place, rounds, name, GLIBC, "cpu_time") for name in there),
        *(_peak_row(case.place, rounds, name) for name in there),
    ]


def _others(bench: Bench) -> list[Variant]:
    """The general allocators without huge pages, as the page heap has none."""
    settings = allocator_settings(bench)
    return [with_environment(name, settings[name].environment) for name in OTHERS]


def _peak_row(place: Place, rounds: Rounds, name: str) -> Row:
    peaks, base = ([float(run.peak_memory) for run in rounds.of(each)] for each in (name, GLIBC))
    ratio = median_ratio(peaks, base)
    return row(place, name, GLIBC, PEAK, ratio, runs=len(rounds), races=rounds.races)


def mean_of_times(races: Races) -> list[Row | Goal]:
    """Geometric, over the programs; the goal is the page heap's."""
    found: list[Row | Goal] = []
    for name in (PAGES, *OTHERS):
        means = mean_row(races, "programs", name, GLIBC)
        found += [Goal(each, TIME_LIMIT) for each in means] if name == PAGES else means
        there = [rounds for rounds in races.values() if rounds.runs.get(name)]
        if there:
            peak = exact(mean_of([rounds.peak_ratio(name, GLIBC) for rounds in there]))
            found.append(row((MEAN, f"{len(there)} programs"), name, GLIBC, PEAK, peak))
    return found
