"""Slots and addresses: dense, reused, never overlapping in time and space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malloom.layout.live_bytes import peak_bytes
from malloom.layout.packing import LARGEST_SLOT, pack, slots_of
from malloom.profile import HeapProfile
from python.layout.drawn_profiles import assert_valid, profiles


@settings(deadline=None)
@given(
    profile=profiles(), seed=st.integers(0, 1000), lines=st.sampled_from(["packed", "unbroken", "separate"])
)
def test_any_order_packs_validly(profile: HeapProfile, seed: int, lines: str) -> None:
    order = np.random.default_rng(seed).permutation(len(profile.requests))
    assert_valid(profile, pack(profile, "x", order, lines=lines))


def test_a_freed_slot_is_reused() -> None:
    profile = HeapProfile.from_arrays([48, 48, 48], birth=[1, 3, 5], death=[2, 4, 6])
    assert pack(profile, "x", [0, 1, 2]).offset.tolist() == [0, 0, 0]


def test_the_slot_of_the_same_context_is_preferred() -> None:
    profile = HeapProfile.from_arrays([48] * 3, context=[0, 1, 0], birth=[1, 2, 5], death=[3, 4, 2**64 - 1])
    offset = pack(profile, "x", [0, 1, 2]).offset
    assert offset[2] == offset[0] != offset[1]


def test_a_reused_slot_lies_where_its_busiest_occupant_wants() -> None:
    profile = HeapProfile.from_arrays(
        [48, 48, 48], birth=[1, 2, 4], death=[3, 2**64 - 1, 2**64 - 1], accesses=[0, 1, 1, 2, 2, 2]
    )
    assert pack(profile, "x", [0, 1, 2]).offset.tolist() == [48, 0, 48]


def test_the_arena_is_no_larger_than_the_peak_where_sizes_are_equal() -> None:
    drawn = np.random.default_rng(7)
    birth = np.arange(1, 2001, 2)
    death = birth + 1 + 2 * drawn.permutation(1000)
    profile = HeapProfile.from_arrays([40] * 1000, birth=birth, death=death)
    arena = pack(profile, "x", np.arange(1000)).arena_bytes
    assert arena == peak_bytes(profile, np.ones(1000, dtype=bool))


def test_large_requests_have_no_place() -> None:
    offset = pack(HeapProfile.from_arrays([LARGEST_SLOT, LARGEST_SLOT + 1]), "x", [0, 1]).offset
    assert offset.tolist() == [0, -1]


def test_unbroken_objects_do_not_cross_lines() -> None:
    offset = pack(HeapProfile.from_arrays([48] * 8), "x", np.arange(8), lines="unbroken").offset
    assert (offset // 64 == (offset + 47) // 64).all()


@pytest.mark.parametrize("order", [[0, 0], [5]])
def test_a_wrong_order_is_refused(order: list[int]) -> None:
    with pytest.raises(ValueError, match="an order names a request twice"):
        pack(HeapProfile.from_arrays([16, 16]), "x", order)


def test_slots_are_formed_once() -> None:
    profile = HeapProfile.from_arrays([16, 16])
    assert slots_of(profile) is slots_of(profile)
