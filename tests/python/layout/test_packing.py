"""Slots and addresses: dense, reused, never overlapping in time and space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malloom import _native
from malloom.layout.layout import NO_PLACE
from malloom.layout.live_bytes import peak_bytes, peak_chunk_bytes
from malloom.layout.packing import GENERATIONS, LARGEST_SLOT, MOST_ROOM, pack, timeline_of
from malloom.profile import NEVER, Contexts, HeapProfile
from python.layout.drawn_profiles import assert_valid, profiles, with_contexts


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


def test_a_generation_lies_in_order_and_the_rest_fills_the_holes() -> None:
    never = 2**64 - 1
    profile = HeapProfile.from_arrays(
        [32, 48, 32, 16, 48],
        birth=[1, 2, 3, 5, 9],
        death=[4, never, never, 6, never],
        accesses=[1, 2, 2, 4, 4],
    )
    offset = pack(profile, "x", [4, 2, 1, 0, 3]).offset
    assert offset[[4, 2, 1]].tolist() == [0, 48, 80]
    assert offset[0] in range(0, 48) and offset[3] in range(0, 48)


def test_phases_of_different_sizes_share_their_memory_and_keep_their_orders() -> None:
    count = 400
    tickets = np.arange(4 * count) + np.repeat([1, 2], 2 * count)  # the second phase begins some time later
    birth = np.r_[tickets[:count], tickets[2 * count : 3 * count]]
    death = np.r_[tickets[count : 2 * count], tickets[3 * count :]]
    size = np.r_[np.full(count, 32), np.full(count, 48)]
    profile = HeapProfile.from_arrays(size, birth=birth, death=death, accesses=np.arange(2 * count))
    order = np.random.default_rng(3).permutation(2 * count)
    layout = pack(profile, "x", order)
    assert layout.arena_bytes == 48 * count
    for phase in (order[order < count], order[order >= count]):
        assert (np.diff(layout.offset[phase]) > 0).all()


def test_what_grows_stays_where_it_is() -> None:
    profile = HeapProfile.from_arrays([16, 64, 256, 1024], birth=[1, 3, 5, 7], death=[2, 4, 6, 2**64 - 1])
    assert pack(profile, "x", np.arange(4)).offset.tolist() == [0, 0, 0, 0]


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000))
def test_the_arena_is_near_a_general_allocator_s(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    count = 3000
    birth = np.arange(1, 2 * count, 2)
    death = birth + 1 + 2 * drawn.geometric(1 / drawn.choice([10, 300, 3000], count))
    _, first = np.unique(death, return_index=True)
    kept = np.sort(first)
    profile = HeapProfile.from_arrays(
        drawn.integers(1, 400, count)[kept], birth=birth[kept], death=death[kept]
    )
    order = drawn.permutation(len(kept))
    layout = pack(profile, "x", order)
    assert layout.arena_bytes <= 1.1 * peak_chunk_bytes(profile, np.ones(len(kept), dtype=bool))


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


def test_the_timeline_is_formed_once() -> None:
    profile = HeapProfile.from_arrays([16, 16])
    assert timeline_of(profile) is timeline_of(profile)


def test_sites_whose_objects_die_young_have_no_places() -> None:
    count = 4000
    birth = np.arange(1, 2 * count, 2, dtype=np.uint64)
    site = np.arange(count) % 2
    death = np.where(site == 1, birth + np.uint64(1), np.uint64(NEVER))
    profile = with_contexts(np.full(count, 48), context=site, birth=birth, death=death)
    offset = pack(profile, "x", np.arange(count)).offset
    assert ((offset == NO_PLACE) == (site == 1)).all()


def test_all_have_places_where_nearly_all_die_young() -> None:
    birth = np.arange(1, 8000, 2)
    profile = HeapProfile.from_arrays(np.full(4000, 48), birth=birth, death=birth + 1)
    assert (pack(profile, "x", np.arange(4000)).offset == 0).all()


def test_a_death_before_the_birth_is_refused() -> None:
    with pytest.raises(ValueError, match="dies before it is born"):
        pack(HeapProfile.from_arrays([16], birth=[5], death=[4]), "x", [0])


def lives_of_many_sizes(seed: int) -> HeapProfile:
    """Requests of 20 bytes to 60 KB that die at any time: no packing keeps within the bound."""
    drawn = np.random.default_rng(seed)
    birth = np.arange(1, 2001, 4)
    death = birth + drawn.exponential(200, len(birth)).astype(int) * 4 + 2
    size = np.exp(drawn.uniform(3, 11, len(birth))).astype(np.uint64)
    _, kept = np.unique(death, return_index=True)
    kept.sort()
    return HeapProfile.from_arrays(size[kept], birth=birth[kept], death=death[kept])


@pytest.mark.parametrize("seed", range(8))
def test_where_the_bound_cannot_be_kept_the_arena_is_the_smallest(seed: int) -> None:
    profile = lives_of_many_sizes(seed)
    requests = profile.requests
    order = np.arange(len(requests), dtype=np.uint32)
    arenas = []
    for generations in GENERATIONS:
        columns = requests.birth, requests.death, requests.size, requests.alignment, requests.accesses
        timeline = _native.form_timeline(*columns, LARGEST_SLOT, generations)
        arenas.append(_native.place_in_order(timeline, order, "packed", 64)[1])
    bound = MOST_ROOM * peak_chunk_bytes(profile, np.ones(len(requests), dtype=bool))
    kept = [arena for arena in arenas if arena <= bound]
    assert pack(profile, "x", order).arena_bytes == (kept[0] if kept else min(arenas))


def test_requests_of_the_catch_all_context_have_no_places() -> None:
    contexts = Contexts(
        offsets=np.array([0, 0, 1], dtype=np.uint64),
        frame_module=np.zeros(1, dtype=np.uint32),
        frame_offset=np.array([64], dtype=np.uint64),
        hashes=np.array([1, 2], dtype=np.uint64),
    )
    profile = HeapProfile.from_arrays([32] * 4, context=[0, 1, 0, 1], contexts=contexts)
    layout = pack(profile, "x", np.arange(4))
    assert layout.offset.tolist() == [NO_PLACE, 0, NO_PLACE, 32]
