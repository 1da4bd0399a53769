"""The suite oracle: how much a layout could gain of each program, and what the rules keep of it on an input
that they were not learned on."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from malloom.bench.debian.programs import PROGRAMS
from malloom.bench.general import BEST
from malloom.bench.means import MEAN, mean_of_programs
from malloom.bench.numbers import ONE, number_rows
from malloom.bench.oracle.asking import MUCH_TO_GAIN, SHARE, WAITS, Scale, subject_rows
from malloom.bench.oracle.layouts import ORDINAL, RULES, SAME
from malloom.bench.oracle.shares import BEST_RULE, ORACLE, TIME, Oracles, gain_of
from malloom.bench.oracle.subjects import Named, subjects
from malloom.bench.oracle.waiting import MEMORY, TRANSLATIONS
from malloom.bench.room import memory_for
from malloom.bench.sized_by_cache import LastLevel, last_level_of
from malloom.bench.steps import Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.bench.ten_programs import PROGRAMS as TEN
from malloom.measure.interleaved import Budget
from malloom.measure.rows import Row, control_rows
from malloom.measure.variants import GLIBC
from malloom.optimize.data import NOTHING_TO_GAIN

SUMMARY = "all"
"""The part that concludes over the programs."""
PARTS = {
    **{each.name: each.work for each in PROGRAMS},
    **{name: "one of the ten workloads" for name in TEN},
    SUMMARY: "means over the programs, and how many have something to gain",
}
GROUPS = {"programs": [each.name for each in PROGRAMS], "workloads": list(TEN)}
FULL = Scale(60.0, Budget(fewest=12, most=24, seconds=120.0), judges=True)
QUICK = Scale(10.0, Budget(2, 2), judges=False)
SMALLER, QUICK_LAST_LEVEL = 4, 1 << 20
"""A quick run's inputs."""
LARGEST_LEVEL = 32 << 20
"""Bytes. The workloads' heaps are sized by a last level of at most so many, so that a run takes seconds on
machines with much larger caches too."""
SECONDS, SECONDS_OF_A_QUICK_RUN = 700.0, 120.0
"""What a program takes: a guess."""
LARGEST_HEAP = 600 << 20
"""Bytes of the largest heap of them, and some for what planning it takes: a guess."""
WRITTEN = 4 << 30
"""Bytes of a program's inputs, its profiles and its plans: a guess."""
COUNT = "programs"
LAYOUTS = (ORACLE, BEST_RULE, ORDINAL, SAME, *RULES)


def prepare(quick: bool, last_level: LastLevel = "") -> Prepared:
    """With the inputs of the suite programs and of the suite dynamic, or quickly with smaller ones."""
    sized_by = min(last_level_of(last_level, quick, QUICK_LAST_LEVEL), LARGEST_LEVEL)
    scale, gathered = QUICK if quick else FULL, Oracles()
    named = subjects(sized_by, SMALLER if quick else 1)
    steps: dict[str, Callable[[], Sequence[Step]]] = {
        name: partial(_steps, name, each, scale, gathered, sized_by if name in TEN else 0)
        for name, each in named.items()
    }
    steps[SUMMARY] = lambda: [conclusion(SUMMARY, "means", partial(summary, gathered))]
    return Prepared(steps, tables())


def _steps(name: str, named: Named, scale: Scale, gathered: Oracles, last_level: int) -> list[Step]:
    measure = partial(subject_rows, named=named, scale=scale, gathered=gathered)
    expected = SECONDS if scale.judges else SECONDS_OF_A_QUICK_RUN
    memory = memory_for(LARGEST_HEAP)
    step = Step(name, name, measure, expected, memory=memory, disk=WRITTEN, gathers=gathered)
    return [replace(step, last_level=last_level)]


def summary(gathered: Oracles) -> Found:
    """Of the programs that were measured; nothing where none was."""
    if not gathered:
        return []
    even = {place: (asked.even, BEST) for place, asked in gathered.items()}
    found: list[Row] = [
        each for place, asked in gathered.items() for each in control_rows(place, asked.rounds, GLIBC)
    ]
    for name in LAYOUTS:
        found += mean_of_programs(even, COUNT, name, BEST, TIME)
    # A mean of rules is of the programs that have one: the oracle of these stands beside it.
    with_rule = {place: each for place, each in even.items() if BEST_RULE in each[0].runs}
    if len(with_rule) < len(even):
        found += mean_of_programs(with_rule, f"{COUNT} with a rule", ORACLE, BEST, TIME)
    counts = Counter(_how_much(gain_of(asked)) for asked in gathered.values())
    place = ("what the oracle gains", f"of {len(gathered)} {COUNT}")
    return [*found, *number_rows(place, COUNT, {kind: counts[kind] for kind in KINDS})]


KINDS = (
    f"nothing (above {NOTHING_TO_GAIN:.2f})",
    f"something (above {MUCH_TO_GAIN:.2f})",
    f"much (up to {MUCH_TO_GAIN:.2f})",
)


def _how_much(gain: float) -> str:
    return KINDS[(gain <= NOTHING_TO_GAIN) + (gain <= MUCH_TO_GAIN)]


def tables() -> list[Table]:
    """Layouts against the best general setting first."""
    return [
        Table(
            "CPU time of layouts, against the best general setting",
            "",
            TIME,
            BEST,
            LAYOUTS,
            shows=lambda row: row.workload != MEAN,
        ),
        Table("The same, means over programs", SUMMARY, TIME, BEST, LAYOUTS),
        Table("What the oracle gains", SUMMARY, COUNT, ONE, KINDS),
        Table("What each rule keeps of the oracle's gain", "", SHARE, ONE, (BEST_RULE, *RULES)),
        Table("Share of the CPU time that waits, by simulation", "", WAITS, ONE, (MEMORY, TRANSLATIONS)),
        Table("CPU time against the program as it is", "", TIME, GLIBC, turned=True),
        Table("Peak memory against the program's own", "", TIME, GLIBC, cell=_peak, turned=True),
    ]


def _peak(row: Row) -> str:
    return "-" if row.peak_rss_ratio is None else f"{row.peak_rss_ratio:.2f}"


SUITE = Suite(
    "how much a layout could gain of each program, and what rules learned on other inputs keep of it",
    PARTS,
    prepare,
    groups=GROUPS,
)
