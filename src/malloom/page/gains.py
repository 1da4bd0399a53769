"""What placing is predicted to gain, by call site: the best strategy against the layout as recorded."""

from __future__ import annotations

from dataclasses import dataclass

from malloom.cache.cost import F64
from malloom.cache.geometry import Geometry
from malloom.layout.ranking import RECORDED, RankingProgress, best_layout
from malloom.layout.registry import all_strategies, strategy
from malloom.profile import HeapProfile

MOST_REQUESTS = 500_000
"""A limit of cost: placing more by every strategy takes longer than all else that the page shows."""

LEFT_OUT = "gains are not predicted of so large a profile: 'malloom plan --strategy auto --explain' does it"


@dataclass(frozen=True)
class Gains:
    """Shares of all that the program waits for heap objects as recorded."""

    strategy: str
    whole: float
    of_context: F64
    """Per context of the profile: less than 0 where its objects are to wait longer."""
    machine: str
    """Whose caches were simulated: other caches may gain by another strategy, or nothing."""


def gains_of(profile: HeapProfile, geometry: Geometry, progress: RankingProgress) -> Gains | str | None:
    """What to say where that is not predicted; None where there is nothing to predict by."""
    if profile.access_entries == 0:
        return None
    if len(profile.requests) > MOST_REQUESTS:
        return LEFT_OUT
    beside = [strategy(RECORDED)]
    try:
        chosen, _ = best_layout(profile, all_strategies(), geometry, progress, beside, by_context=True)
    except Exception as problem:  # a strategy may be anybody's, and the page has much else to show
        return f"gains are not predicted: a strategy fails ({problem})"
    recorded = next(each for each in chosen.rounds[-1] if each.strategy == RECORDED)
    if not recorded.cycles or recorded.by_context is None or chosen.best.by_context is None:
        return None
    saved: F64 = (recorded.by_context - chosen.best.by_context) / recorded.cycles
    return Gains(chosen.best.strategy, 1 - chosen.best.cycles / recorded.cycles, saved, geometry.name)
