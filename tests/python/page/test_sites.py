"""What the page knows of call sites."""

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.layout.ranking import SILENT
from malloom.page import gains, sites
from malloom.page.gains import Gains, gains_of
from malloom.page.sites import DEEPEST, contents_of
from malloom.profile import HeapProfile, Module
from malloom.profile.contexts import Contexts

GEOMETRY = geometry_from("p4")
COUNT = 4000


def walked(rounds: int) -> HeapProfile:
    """Two contexts' objects, used again and again in another order than they were made in."""
    walk = np.random.default_rng(3).permutation(COUNT)
    contexts = Contexts(
        offsets=np.arange(3, dtype=np.uint64),
        frame_module=np.zeros(2, dtype=np.uint32),
        frame_offset=np.array([16, 32], dtype=np.uint64),
        hashes=np.array([1, 2], dtype=np.uint64),
    )
    made = HeapProfile.from_arrays(
        [48] * COUNT,
        accesses=np.tile(walk, rounds),
        context=[number % 2 for number in range(COUNT)],
        contexts=contexts,
        modules=[Module("/absent/program", "", 0, 1 << 20, 0, 1)],
    )
    return made.folded(DEEPEST)  # with the hashes that such chains have


def test_gains_of_sites_are_parts_of_the_whole() -> None:
    found = gains_of(walked(6), GEOMETRY, SILENT)
    assert isinstance(found, Gains)
    assert found.whole > 0.3
    assert found.of_context.sum() == pytest.approx(found.whole)
    assert all(gain > 0 for gain in found.of_context)


def test_a_large_profile_has_no_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gains, "MOST_REQUESTS", COUNT - 1)
    assert gains_of(walked(1), GEOMETRY, SILENT) == gains.LEFT_OUT
    assert gains_of(HeapProfile.from_arrays([48] * COUNT), GEOMETRY, SILENT) is None


def test_a_strategy_that_fails_leaves_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_given: object, **_named: object) -> None:
        raise RuntimeError("no order")

    monkeypatch.setattr(gains, "best_layout", fails)
    found = contents_of(walked(1), GEOMETRY)
    assert found.gains is None
    assert "gains are not predicted: a strategy fails (no order)" in found.notes


def test_misses_of_a_sample_are_no_more_hidden_than_all(monkeypatch: pytest.MonkeyPatch) -> None:
    small = geometry_from("L1:1K:2:64,L2:4K:4:64")

    def exposed_share() -> float:
        told = contents_of(walked(16), small).sites
        return sum(site.exposed or 0 for site in told) / sum(site.misses or 0 for site in told)

    whole = exposed_share()
    monkeypatch.setattr(sites, "MOST_ACCESSES", 2 * COUNT)
    assert 0.8 < whole < 1
    assert exposed_share() == pytest.approx(whole, abs=0.1)


def test_of_many_accesses_a_sample_is_shown_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = contents_of(walked(8), GEOMETRY)
    assert sum(site.loads or 0 for site in whole.sites) == 8 * COUNT == whole.totals.accesses
    assert not any("sample" in note for note in whole.notes)
    monkeypatch.setattr(sites, "MOST_ACCESSES", 2 * COUNT)
    sampled = contents_of(walked(8), GEOMETRY)
    assert sum(site.loads or 0 for site in sampled.sites) == 2 * COUNT
    assert sampled.totals.accesses is None and sampled.gains is None
    assert all(site.accessed is None and site.gain is None for site in sampled.sites)
    assert any(f"one of 4.0 of the {8 * COUNT:,} accesses" in note for note in sampled.notes)
    assert gains.LEFT_OUT in sampled.notes
