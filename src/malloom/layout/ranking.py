"""Every strategy's layout through the simulation: which is best for a profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from malloom.cache.cost import stall_cycles
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Sample, SimulatedCounts, Simulation, sample_of
from malloom.errors import CommandError
from malloom.layout.layout import Layout
from malloom.layout.strategy import Strategy
from malloom.profile import HeapProfile

SAMPLED_ACCESSES = 16_000_000
"""Enough to tell layouts apart, and seconds instead of minutes for a long profile."""
TIE = 0.01
"""Costs closer than this are a tie, which the smaller footprint wins."""
BASELINES = frozenset({"random", "keep-original", "overhead-only"})
"""Never the best: they are there to be compared with."""


@dataclass(frozen=True)
class Ranked:
    """One strategy's standing."""

    strategy: str
    counts: SimulatedCounts
    cycles: float
    """Estimated cycles spent waiting (malloom.cache.cost)."""
    arena_bytes: int
    planned: int
    """Requests that have a place."""


@dataclass(frozen=True)
class Progress:
    """What a long ranking tells whoever waits for it."""

    placing: Callable[[str], None]
    simulated: Callable[[int], None]


SILENT = Progress(lambda name: None, lambda done: None)


def place(strategy: Strategy, profile: HeapProfile, geometry: Geometry) -> Layout:
    """A strategy's layout, checked. A strategy of someone else's that fails is reported by its name."""
    layout = strategy.place(profile, geometry)
    if len(layout.offset) != len(profile.requests):
        raise CommandError(
            f"strategy '{strategy.name}' placed {len(layout.offset)} of {len(profile.requests)} requests",
            remedy="its offset column needs one entry per request",
        )
    return layout


def rank(
    profile: HeapProfile,
    strategies: Iterable[Strategy],
    geometry: Geometry,
    *,
    sample: Sample | None = None,
    progress: Progress = SILENT,
) -> list[Ranked]:
    """All strategies, the best first: by cycles, and by pages and lines where those are as good as equal."""
    simulation = Simulation(profile, geometry)
    sizes: dict[str, tuple[int, int]] = {}
    for strategy in strategies:
        progress.placing(strategy.name)
        layout = place(strategy, profile, geometry)
        simulation.add(strategy.name, layout.offset)
        sizes[strategy.name] = (layout.arena_bytes, layout.planned)
    counted = simulation.run(sample, progress.simulated)
    ranked = [
        Ranked(name, counts, stall_cycles(counts, geometry), *sizes[name]) for name, counts in counted.items()
    ]
    return in_order(ranked)


def in_order(ranked: list[Ranked]) -> list[Ranked]:
    """Sorts by cycles; within a tie with its best, by footprint."""
    remaining = sorted(ranked, key=lambda each: each.cycles)
    ordered: list[Ranked] = []
    while remaining:
        bound = remaining[0].cycles * (1 + TIE)
        tied = [each for each in remaining if each.cycles <= bound]
        ordered += sorted(tied, key=_preference)
        remaining = remaining[len(tied) :]
    return ordered


def _preference(each: Ranked) -> tuple[int, int, float, bool]:
    """Among ties: footprint, then cycles, then the plainest strategy."""
    return each.counts.pages, each.counts.lines, each.cycles, each.strategy != "sequential"


def best_strategy(
    profile: HeapProfile,
    strategies: Iterable[Strategy],
    geometry: Geometry,
    progress: Progress = SILENT,
) -> Ranked:
    """The best strategy by simulation of a sample. Raises CommandError where the profile has no accesses."""
    if profile.access_entries == 0:
        raise CommandError(
            "the profile has no accesses to choose by",
            remedy="record with --accesses full, or name a --strategy",
        )
    candidates = [each for each in strategies if each.name not in BASELINES]
    sample = sample_of(profile, SAMPLED_ACCESSES)
    return rank(profile, candidates, geometry, sample=sample, progress=progress)[0]
