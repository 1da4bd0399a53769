"""Which strategy wins: on programs whose best layout is known."""

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.cache.simulate import SimulatedCounts, sample_among
from malloom.errors import CommandError
from malloom.layout.layout import Layout
from malloom.layout.ranking import (
    Ranked,
    RankingProgress,
    best_layout,
    in_order,
    left_out,
    place,
    rank,
    worth_simulating,
)
from malloom.layout.registry import all_strategies, strategy
from malloom.profile import HeapProfile

GEOMETRY = geometry_from("p4")


def shuffled_walk(count: int = 20_000, rounds: int = 10) -> HeapProfile:
    """Built in one order, used again and again in another."""
    walk = np.random.default_rng(4).permutation(count)
    return HeapProfile.from_arrays(
        [48] * count, accesses=np.concatenate([np.arange(count), *[walk] * rounds])
    )


def test_an_order_that_matches_the_walk_beats_one_that_does_not() -> None:
    names = [each.strategy for each in rank(shuffled_walk(), all_strategies(), GEOMETRY)]
    assert names.index("first-use") < names.index("sequential")
    assert names.index("usage-depth-first") < names.index("sequential")
    assert names.index("reference-affinity") < names.index("sequential")
    assert names.index("smart") < names.index("random")


def test_auto_takes_a_matching_order() -> None:
    profile = shuffled_walk()
    chosen, layout = best_layout(profile, all_strategies(), GEOMETRY)
    best = chosen.best
    placed = place(strategy(best.strategy), profile, GEOMETRY)
    assert layout.strategy == best.strategy and layout.arena_bytes == placed.arena_bytes
    assert layout.offset.tolist() == placed.offset.tolist()
    sequential = rank(shuffled_walk(), [strategy("sequential")], GEOMETRY)[0]
    assert best.cycles < 0.5 * sequential.cycles


def test_auto_never_takes_a_baseline() -> None:
    profile = HeapProfile.from_arrays([48], accesses=[0])
    chosen, _ = best_layout(profile, all_strategies(), GEOMETRY)
    assert chosen.best.strategy not in {"random", "overhead-only"}


def test_what_is_beside_is_told_and_changes_nothing() -> None:
    profile = shuffled_walk()
    alone, _ = best_layout(profile, all_strategies(), GEOMETRY)
    beside, layout = best_layout(profile, all_strategies(), GEOMETRY, beside=[strategy("overhead-only")])
    assert beside.best == alone.best
    assert layout.strategy == alone.best.strategy
    told = [[each for each in ranked if each.strategy != "overhead-only"] for ranked in beside.rounds]
    assert [{each.strategy for each in ranked} for ranked in told] == [
        {each.strategy for each in ranked} for ranked in alone.rounds
    ]
    assert all(len(ranked) == len(without) + 1 for ranked, without in zip(beside.rounds, told, strict=True))


def test_the_best_is_looked_for_among_what_can_be_it() -> None:
    names = {each.name for each in worth_simulating(all_strategies(), shuffled_walk(count=1000))}
    everything = {each.name for each in all_strategies()}
    assert everything - names == {"random", "overhead-only", "friends-depth-first", "friends-grouped"}


def test_auto_needs_accesses() -> None:
    with pytest.raises(CommandError, match="no accesses to choose by"):
        best_layout(HeapProfile.from_arrays([48]), all_strategies(), GEOMETRY)


def test_strategies_that_seldom_differ_are_left_out_of_large_profiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = shuffled_walk(count=1000)
    assert left_out(profile) == []
    monkeypatch.setattr("malloom.layout.ranking.LARGE", 999)
    asked: list[str] = []
    best_layout(profile, all_strategies(), GEOMETRY, RankingProgress(asked.append, lambda done: None))
    assert left_out(profile) and not set(asked) & set(left_out(profile))


def test_a_tie_goes_to_the_smaller_footprint() -> None:
    def ranked(name: str, cycles: float, pages: int) -> Ranked:
        return Ranked(name, SimulatedCounts((), (), lines=0, pages=pages), cycles, 0, 0)

    order = in_order([ranked("large", 100.0, 9), ranked("small", 100.9, 5), ranked("slow", 102.0, 1)])
    assert [each.strategy for each in order] == ["small", "large", "slow"]


def test_a_sample_keeps_to_its_budget() -> None:
    profile = shuffled_walk(1000, 99)
    sample = sample_among(profile.access_entries, 8000)
    assert sample.take == 1000 and 8 * (sample.skip + sample.take) <= 100_000
    assert sample_among(profile.access_entries, None).take == 0


def test_a_strategy_that_forgets_requests_is_named() -> None:
    class Forgetful:
        name = "forgetful"
        summary = "places nothing"

        def place(self, profile: HeapProfile, geometry: object) -> Layout:
            return Layout(self.name, np.zeros(0, dtype=np.int64), 0)

    with pytest.raises(CommandError, match="strategy 'forgetful' placed 0 of 1 requests"):
        place(Forgetful(), HeapProfile.from_arrays([16]), GEOMETRY)
