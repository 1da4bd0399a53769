"""Zilles' linked lists: the paper's case, in the caches, and one long list in and beyond them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.goals import Goal
from malloom.bench.splitting import builds, programs
from malloom.bench.splitting.comparing import ours_against_best, ours_against_lto, race, rows_against
from malloom.bench.splitting.compilers import BASELINE, DEFAULT
from malloom.bench.splitting.programs import WALK_TIME
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
"""Nine tenths of the baseline's CPU time are walking."""
TRIAL_WALKS = 3
COUNTED_WALKS = 240
"""Where instructions are counted: a walk takes some five of an element, and making it some 130."""
HALVED, NO_SLOWER = 0.48, 1.01


@dataclass(frozen=True)
class Lists:
    """How many, with a heap of so many bytes, and what of clang -O3's time they may take."""

    count: int
    bytes: int
    label: str
    limit: float


def every_row(last_level: int, second_level: int, sizes: Sequence[str]) -> list[Lists]:
    """The paper's case first."""
    heap = min(SECOND_LEVELS * second_level, last_level // 2)
    papers = Lists(PAPERS_LISTS, heap, f"{PAPERS_LISTS} lists of {heap >> 10} KiB", HALVED)
    return [
        papers,
        *(
            Lists(1, heap_bytes(size, last_level), f"1 list {size}", HALVED if size == "8x" else NO_SLOWER)
            for size in sizes
        ),
    ]


def llu_rows(bench: Bench, lists: Lists, budget: Budget, allocators: bool) -> list[Row | Goal]:
    """As many walks as make them nine tenths of the baseline's time."""
    case = programs.llu(lists.count, lists.bytes, walks_needed(bench, lists), lists.label)
    bench.note(f"llu {' '.join(case.arguments)}")
    raced = race(bench, case, budget, baseline=BASELINE, metric="cpu_time", allocators=allocators)
    rounds = raced.rounds
    whole = rows_against(case, rounds, BASELINE, "cpu_time")
    held = [row for row in whole if row.variant == DEFAULT]
    return [
        *whole,
        *ours_against_lto(case, rounds, "cpu_time"),
        *raced.others,
        *ours_against_best(case, rounds, "cpu_time"),
        *rows_against(case, rounds, BASELINE, WALK_TIME),
        *(Goal(row, lists.limit) for row in held),
    ]


def walks_needed(bench: Bench, lists: Lists) -> int:
    """From one run of a few walks. Raises CommandError where that fails."""
    case = programs.llu(lists.count, lists.bytes, TRIAL_WALKS, lists.label)
    run = run_measured(builds.command(bench, case, BASELINE))
    if run.status != 0:
        raise CommandError(f"llu failed: {last_words(run)}")
    return walks_for(run.cpu_time, run.metric(WALK_TIME), TRIAL_WALKS)


def walks_for(whole: float, walking: float, walks: int) -> int:
    """So many that walking is nine times as long as the rest, of a run with fewer walks."""
    rest = max(whole - walking, 0.0)
    each = walking / walks
    return max(math.ceil(round(WALKING_TO_REST * rest / each, 6)), 1) if each > 0 else walks
