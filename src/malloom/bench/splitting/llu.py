"""Zilles' linked lists: the paper's case, in the caches, and one long list in and beyond them.

Curial et al. give no parameters, and say that the program accesses many of the fields. So the lists are built
in both ways, stay as long as they are or grow, and walks touch two of eight fields or six.
"""

import math
from collections.abc import Sequence

from malloom.bench.goals import Goal
from malloom.bench.splitting import builds
from malloom.bench.splitting.comparing import ours_against_best, ours_against_lto, race, rows_against
from malloom.bench.splitting.compilers import BASELINE, DEFAULT, EXPECTING, VARIANTS
from malloom.bench.splitting.programs import LLU, LLU_MANY, WALK_TIME, Lists
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import heap_bytes
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget
from malloom.measure.process import last_words, run_measured
from malloom.measure.rows import Row

PAPERS_LISTS = 341
SECOND_LEVELS = 16
"""Bytes of the heap of the paper's case against those of the second level; at most half of the last."""
WALKING_TO_REST = 9
"""Nine tenths of the baseline's CPU time are walking, of lists that do not grow."""
TRIAL_WALKS = 3
COUNTED_WALKS = 240
"""Where instructions are counted: a walk takes some five of an element, and making it some 130."""
HALVED, NO_SLOWER = 0.48, 1.01
FIELDS = {LLU: "two fields", LLU_MANY: "six fields"}


def papers_bytes(last_level: int, second_level: int) -> int:
    """Of the heap of the paper's case."""
    return min(SECOND_LEVELS * second_level, last_level // 2)


def papers_cases(heap: int) -> list[Lists]:
    """Lists that do not grow first, and those that lie in the order of their walk."""

    def lists(program: str, in_rounds: bool, grows: bool) -> Lists:
        built = "built in rounds" if in_rounds else "built list by list"
        words = [f"{PAPERS_LISTS} lists of {heap >> 10} KiB", built, *(["growing"] if grows else [])]
        return Lists(PAPERS_LISTS, heap, ", ".join([*words, FIELDS[program]]), program, in_rounds, grows)

    return [
        lists(program, in_rounds, grows)
        for grows in (False, True)
        for program in FIELDS
        for in_rounds in (False, True)
    ]


def one_list_cases(last_level: int, sizes: Sequence[str]) -> list[tuple[Lists, float]]:
    """With what of clang -O3's time each may take."""
    return [
        (
            Lists(1, heap_bytes(size, last_level), f"1 list {size}, {fields}", program),
            HALVED if size == "8x" else NO_SLOWER,
        )
        for program, fields in FIELDS.items()
        for size in sizes
    ]


def llu_rows(bench: Bench, lists: Lists, limit: float, budget: Budget, allocators: bool) -> list[Row | Goal]:
    """The default is held, which guesses no links."""
    case = lists.case(walks_needed(bench, lists))
    bench.note(f"{case.workload} {' '.join(case.arguments)}")
    raced = race(
        bench,
        case,
        budget,
        baseline=BASELINE,
        metric="cpu_time",
        allocators=allocators,
        variants=(*VARIANTS, EXPECTING),
    )
    rounds = raced.rounds
    whole = rows_against(case, rounds, BASELINE, "cpu_time")
    held = [row for row in whole if row.variant == DEFAULT]
    return [
        *whole,
        *ours_against_lto(case, rounds, "cpu_time"),
        *raced.others,
        *ours_against_best(case, rounds, "cpu_time"),
        *rows_against(case, rounds, BASELINE, WALK_TIME),
        *(Goal(row, limit) for row in held),
    ]


def walks_needed(bench: Bench, lists: Lists) -> int:
    """From one run of a few walks. Raises CommandError where that fails."""
    case = lists.case(TRIAL_WALKS)
    run = run_measured(builds.command(bench, case, BASELINE))
    if run.status != 0:
        raise CommandError(f"{case.workload} failed: {last_words(run)}")
    return walks_for(run.cpu_time, run.metric(WALK_TIME), TRIAL_WALKS)


def walks_for(whole: float, walking: float, walks: int) -> int:
    """So many that walking is nine times as long as the rest, of a run with fewer walks."""
    rest = max(whole - walking, 0.0)
    each = walking / walks
    return max(math.ceil(round(WALKING_TO_REST * rest / each, 6)), 1) if each > 0 else walks
