"""From cycles that a simulated sample waits to a share of the time that a run takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from malloom import _native
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Sample
from malloom.errors import UsageProblem
from malloom.layout.ranking import Ranked
from malloom.predictions.page_costs import SMALL_PAGE, PageCosts, measured_page_costs


@dataclass(frozen=True)
class RunTime:
    """A run of the program by itself, on the machine whose geometry is simulated."""

    seconds: float
    """Of CPU time."""
    cycle_seconds: float
    pages: PageCosts

    def waiting_share(self, recorded: Ranked, sample: Sample) -> float:
        """The part of the run that waits as recorded, for heap objects. `recorded` is of the sample.

        The model has no two misses overlap, so it may come to more than the whole run: then all of it waits.
        """
        waited = recorded.cycles * sample.scale * self.cycle_seconds
        return min(waited / self.seconds, 1.0)

    def pages_share(self, ranked: Ranked) -> float:
        """The part that goes into having the pages of the heap, each for the first time: those that were
        given back and came again are not known."""
        in_huge = min(ranked.huge_bytes // SMALL_PAGE, ranked.counts.pages)
        seconds = self.pages.huge * in_huge + self.pages.small * (ranked.counts.pages - in_huge)
        return seconds / self.seconds


NOT_WHOLE = "no share of the time is predicted: the profile does not have every access"


SAMPLED = (
    "the share of the time is from a sample, whose windows find large caches cold: it tells more of order "
    "than of gain"
)


def notes_on_time(seconds: float | None, run_time: RunTime | None, sample: Sample) -> list[str]:
    """What to say where a time was given: that none is predicted, or by what."""
    if seconds is None:
        return []
    if run_time is None:
        return [NOT_WHOLE]
    return [SAMPLED] if sample.take else []


def run_time_of(seconds: float | None, geometry: Geometry, has_all_accesses: bool) -> RunTime | None:
    """None where no time is given, or not every access was recorded (`notes_on_time` says so). Raises
    UsageProblem where it can be no time of a run on the machine that is simulated."""
    if seconds is None:
        return None
    if not (math.isfinite(seconds) and seconds > 0):
        raise UsageProblem("--run-time takes seconds, more than 0")
    if geometry.name != "host":
        raise UsageProblem(
            "--run-time is of this machine, and another is simulated",
            remedy="leave out --cache or --run-time",
        )
    if not has_all_accesses:
        return None
    cycle = geometry.cycle_nanoseconds or _native.cycle_nanoseconds()
    return RunTime(seconds, cycle * 1e-9, measured_page_costs())


@dataclass(frozen=True)
class Predicted:
    """What a layout does against the one as recorded. None: that waits for nothing, or has no known time."""

    waiting: float | None
    """Ratio of cycles that are waited."""
    time: float | None
    """Ratio of CPU times."""


def predicted(ranked: Ranked, recorded: Ranked, sample: Sample, run_time: RunTime | None) -> Predicted:
    """Both standings are of the sample."""
    if not recorded.cycles:
        return Predicted(None, 1.0 if run_time else None)
    waiting = ranked.cycles / recorded.cycles
    if run_time is None:
        return Predicted(waiting, None)
    waits = run_time.waiting_share(recorded, sample)
    had, has = run_time.pages_share(recorded), run_time.pages_share(ranked)
    # What a run does beside waiting is all that pages can have taken of it.
    pages = (has - had) * min((1 - waits) / had, 1.0) if had else 0.0
    return Predicted(waiting, 1 - waits * (1 - waiting) + pages)
