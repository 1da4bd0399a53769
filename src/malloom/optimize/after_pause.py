"""How what is kept does after a pause: a virtual machine's host may take back memory that is free meanwhile,
in blocks of a huge page's size, and a program in huge pages then waits for the host."""

from dataclasses import dataclass

from malloom.errors import CommandError
from malloom.huge_pages import chosen_huge_pages
from malloom.measure.allocators import Way
from malloom.measure.host import host_takes_free_memory
from malloom.measure.interleaved import Progress, Race
from malloom.measure.interval import FEWEST_PAIRS, Interval
from malloom.measure.process import Command
from malloom.optimize.candidates import Candidate
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import AS_IT_IS, Row, command_of

PAUSE = 3.0
"""Seconds: a Linux kernel tells its host of what has been free for two."""
HOST_TAKES_BACK = "this machine's host takes back memory that is free for some seconds"
"""How a note begins where pauses are not measured."""


@dataclass(frozen=True)
class AfterPause:
    """CPU time against the program as it is on one input, each run after PAUSE seconds in which none ran."""

    given: str
    interval: Interval


def may_be_in_huge_pages(row: Row) -> bool:
    """Whether a row's memory may be, where that of the program as it is may not."""
    if chosen_huge_pages() == "never":
        return False
    over = row.setting if isinstance(row, AllocatorRow) else getattr(row, "over", None)
    if over is not None and over.way is Way.huge:
        return True
    if isinstance(row, Candidate):
        return row.flags["huge_pages"] or row.has_huge_fallback
    return not isinstance(row, AllocatorRow)


def seconds_after_pauses(plain_wall_time: float) -> float:
    """What measuring takes of a program, about."""
    return 2 * FEWEST_PAIRS * (PAUSE + plain_wall_time)


def seconds_expected(plain_wall_time: float, most: float) -> float:
    """The same; none where it is more than there is time for, or where pauses change nothing."""
    seconds = seconds_after_pauses(plain_wall_time)
    change = chosen_huge_pages() != "never" and host_takes_free_memory()
    return seconds if change and seconds <= most else 0.0


def measure_after_pauses(
    row: Row, given: str, plain: Command, progress: Progress, compare_output: bool
) -> AfterPause:
    """As many pairs as an interval needs. Raises CommandError where a run fails."""
    race = Race({AS_IT_IS: plain}, progress, compare_output=compare_output, pause=PAUSE)
    race.add(row.name, command_of(row, plain))
    for _ in range(FEWEST_PAIRS):
        race.run([AS_IT_IS, row.name])
        for error in race.left.values():
            raise CommandError(str(error))
    return AfterPause(given, race.rounds.ratio(row.name, AS_IT_IS))
