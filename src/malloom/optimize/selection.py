"""The best of several plans by successive halving, and the verdict on it."""

from collections.abc import Sequence

import numpy as np

from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Race
from malloom.measure.interval import Verdict
from malloom.optimize.memory_limit import MemoryLimit

ROUNDS_AT_MOST = 24
FEWEST_RACED = 4
STARTING = 0.02
"""Seconds that starting and checking a run takes on top of the program's own time."""
CLEARLY_BELOW = 0.98
"""A median that is enough for a choice, whatever its interval: twice what a baseline may differ from itself
in a table that can be relied on. The verdict on what is chosen is measured anew."""


def rounds_per_stage(run_time: float, runs: int, seconds: float) -> int:
    """Rounds of `runs` runs that end within the time; short programs need more, and can have them."""
    return max(1, min(ROUNDS_AT_MOST, int(seconds / (runs * (run_time + STARTING)))))


def affordable(run_time: float, seconds: float) -> int:
    """How many candidates halving can race once within the time; never fewer than FEWEST_RACED."""
    return max(FEWEST_RACED, int(seconds / (2 * (run_time + STARTING))))


def fastest_by_halving(
    race: Race, candidates: Sequence[str], rounds: int, limit: MemoryLimit | None = None
) -> str:
    """Runs all, keeps the faster half, runs those again, until one is left (Jamieson, Talwalkar 2016).

    What needs more memory than the limit is not kept where something else does not.
    """
    left = list(candidates)
    while len(left) > 1:
        for _ in range(rounds):
            race.run(left)
        left = [name for name in left if name in race.commands]
        left = limit.within(left, race.rounds) if limit else left
        left.sort(key=lambda name: float(np.median(race.rounds.values(name, "cpu_time"))))
        left = left[: (len(left) + 1) // 2]
    if not left:
        raise CommandError("every plan failed in the race", remedy="none is kept")
    return left[0]


def worth_more_than(race: Race, plainest: str, winner: str, rounds: int) -> bool:
    """Whether new interleaved pairs say that the winner is faster than the plainest of the candidates.

    Among equals the race's winner is a matter of chance, and what does not help is not wanted.
    """
    race.restart()
    for _ in range(rounds):
        race.run([plainest, winner])
    if winner not in race.commands or plainest not in race.commands:
        return winner in race.commands
    ratio = race.rounds.ratio(winner, plainest)
    return ratio.verdict is Verdict.FASTER or ratio.ratio <= CLEARLY_BELOW


def measure_winner(race: Race, winner: str, baseline: str, budget: Budget) -> None:
    """Interleaved pairs of the winner and the baseline alone, from scratch: what made it win flatters it."""
    race.restart()
    race.run_until_enough([baseline, winner], baseline, budget, "cpu_time")
    if winner in race.left:
        raise race.left[winner]
