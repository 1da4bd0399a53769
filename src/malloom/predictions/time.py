"""From cycles that a simulated sample waits to a share of the time that a run takes."""

from __future__ import annotations

from dataclasses import dataclass

from malloom import _native
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Sample
from malloom.errors import UsageProblem
from malloom.layout.ranking import Ranked


@dataclass(frozen=True)
class RunTime:
    """A run of the program by itself, on the machine whose geometry is simulated."""

    seconds: float
    """Of CPU time."""
    cycle_seconds: float

    def waiting_share(self, recorded: Ranked, sample: Sample) -> float:
        """The part of the run that waits as recorded, for heap objects. `recorded` is of the sample.

        The model has no two misses overlap, so it may come to more than the whole run: then all of it waits.
        """
        waited = recorded.cycles * sample.scale * self.cycle_seconds
        return min(waited / self.seconds, 1.0)


NOT_WHOLE = "no share of the time is predicted: the profile does not have every access"


def missing_time(seconds: float | None, run_time: RunTime | None) -> list[str]:
    """What to say where a time was given and none is predicted."""
    return [NOT_WHOLE] if seconds is not None and run_time is None else []


def run_time_of(seconds: float | None, geometry: Geometry, has_all_accesses: bool) -> RunTime | None:
    """None where no time is given, or not every access was recorded (`missing_time` says so). Raises
    UsageProblem where it can be no time of a run on the machine that is simulated."""
    if seconds is None:
        return None
    if seconds <= 0:
        raise UsageProblem("--run-time takes seconds, more than 0")
    if geometry.name != "host":
        raise UsageProblem(
            "--run-time is of this machine, and another is simulated",
            remedy="leave out --cache or --run-time",
        )
    if not has_all_accesses:
        return None
    return RunTime(seconds, _native.cycle_nanoseconds() * 1e-9)


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
    return Predicted(waiting, 1 - run_time.waiting_share(recorded, sample) * (1 - waiting))
