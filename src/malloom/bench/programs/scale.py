"""How much the suite measures."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.debian.programs import PROGRAMS, Program
from malloom.bench.ten_programs import known
from malloom.measure.interleaved import Budget


@dataclass(frozen=True)
class Aim:
    """What `malloom optimize` is to lessen, and the metric by which the best is chosen and compared with.

    What is kept may need `gain` of the best general setting's in the mean, and `slower` of the program's own
    CPU time at the interval's low end.
    """

    goal: str
    metric: str
    gain: float
    slower: float


TIME = Aim("time", "cpu_time", gain=0.95, slower=1.01)
MEMORY = Aim("memory", "peak_memory", gain=0.90, slower=1.00)


def aim_of(goal: str) -> Aim:
    """Raises UsageProblem for a goal that there is not."""
    return next(aim for aim in (TIME, MEMORY) if aim.goal in known("goal", [goal], ("time", "memory")))


SMALLER = 4
"""How many times smaller the inputs of a quick run are."""


@dataclass(frozen=True)
class Scale:
    """`optimize_seconds` is for the measured runs of `malloom optimize`, None for as many as it takes by
    itself. `heat` is of all rows on a held-out input, `race` of those that are compared. What has few runs
    judges nothing."""

    programs: Sequence[Program]
    optimize_seconds: float | None
    heat: Budget
    race: Budget
    judges: bool
    aim: Aim = TIME


FULL = Scale(PROGRAMS, None, Budget(3, 3), Budget(fewest=12, most=24, seconds=150.0), judges=True)
QUICK = Scale(
    [program.smaller(SMALLER) for program in PROGRAMS], 20.0, Budget(1, 1), Budget(2, 2), judges=False
)
