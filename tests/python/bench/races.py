"""Races that were run in no time, for what is computed of them."""

from pathlib import Path

from malloom.bench.steps import Bench
from malloom.measure.interleaved import RaceId, Rounds
from malloom.measure.process import Run

PACES = (1.0, 1.01, 0.99, 1.02, 0.98, 1.0)


def rounds_of(
    times: dict[str, float],
    peaks: dict[str, int] | None = None,
    pairs: int = 6,
    race: RaceId | None = None,
    measure: str = "pair_time",
) -> Rounds:
    """The times of every variant go up and down alike; a program reports its time as `measure` too."""

    def run(name: str, pace: float) -> Run:
        time = times[name] * pace
        return Run(0, time, 0.0, time, (peaks or {}).get(name, 1 << 20), {measure: time}, "same", b"")

    return Rounds({name: [run(name, pace) for pace in PACES[:pairs]] for name in times}, race)


def bench(workloads: Path = Path(), scratch: Path = Path()) -> Bench:
    return Bench(workloads, scratch, lambda line: None, lambda what, why: None, lambda note: None)
