"""How far a general allocator is trusted that is kept for what was measured on heaps of some sizes.

What speaks for an allocator may end where a heap leaves a cache: em3d takes 0.74 of the C library's time in
mimalloc with huge pages at 14 MiB, and 1.09 at 257 MiB (docs/results/notes-verdicts.md). So the program
leaves it, for the C library's, where nothing that was measured tells of such heaps.
"""

from collections.abc import Iterable
from dataclasses import replace

from malloom.measure.allocators import Way
from malloom.measure.plan_setting import MOST_BYTES
from malloom.optimize.checking import Judged
from malloom.optimize.goal import Goal
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import Row, Training

LEAST = 4.0
"""How many times the largest heap is trusted at least, as most users have inputs of one size. Chosen by hand,
and judged on em3d alone."""

NEVER_LEFT = ("tcmalloc",)
"""Allocators that the run time cannot tell from the C library's, as they too move the program's break."""


def may_be_left(row: Row, goal: Goal) -> bool:
    """Settings for time alone: where memory is wanted, or goes back early, the C library would keep more, and
    a plan has its own guards."""
    if not isinstance(row, AllocatorRow) or goal is not Goal.time or row.setting.way is Way.early:
        return False
    return bool(row.setting.allocator.file) and row.setting.allocator.name not in NEVER_LEFT


def trusted_up_to(row: Row, goal: Goal, training: Training | None, judged: Judged) -> int:
    """Bytes resident beyond which the program leaves the allocator of a row; 0: never. As far beyond the
    largest peak memory measured as that is beyond the smallest."""
    peaks = list(_peaks(row.name, training, judged)) if may_be_left(row, goal) else []
    if not peaks or not min(peaks):
        return 0
    return min(round(max(peaks) * max(max(peaks) / min(peaks), LEAST)), MOST_BYTES)


def as_kept(row: Row, goal: Goal) -> Row:
    """A row as it runs when it is kept, but that it never leaves its allocator."""
    if isinstance(row, AllocatorRow) and may_be_left(row, goal):
        return replace(row, is_watched=True)
    return row


def _peaks(name: str, training: Training | None, judged: Judged) -> Iterable[float]:
    """The median of each input on which the row was measured."""
    if training is not None and name in training.results:
        yield from training.results[name].peaks()
    if judged.has(name):
        yield from (judged.memory(given, name) for given in judged.rounds)
