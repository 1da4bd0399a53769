"""Which sizes have a bin of their own, and what a heap with these bins holds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.layout.bin_layout import TARGETS, Target
from malloom.layout.bin_replay import events_of
from malloom.layout.exact_bins import (
    HELD_PER_LIVING,
    MOST_BYTES,
    ExactBins,
    choose,
    large_index,
    large_room,
    least_index,
    small_index,
    small_room,
)
from malloom.layout.exact_bins_source import c_source, most_small
from malloom.profile.requests import NEVER, Requests, requests_from_arrays

MACHINES = [TARGETS["riscv32"], TARGETS["riscv64"]]
SIZES = st.one_of(st.integers(0, 300), st.integers(0, 3000), st.integers(0, 2**20))


@st.composite
def any_requests(draw: st.DrawFn) -> Requests:
    sizes = draw(st.lists(SIZES, min_size=1, max_size=60))
    kept = draw(st.lists(st.integers(1, 40), min_size=len(sizes), max_size=len(sizes)))
    birth = 2 * np.arange(1, len(sizes) + 1)
    freed = (birth + 2 * np.array(kept) - 1).astype(np.uint64)
    death = np.where(np.array(kept) == 40, np.uint64(NEVER), freed)
    # Some are what realloc makes of the one before.
    for each in draw(st.sets(st.integers(1, 59))):
        if each < len(sizes):
            death[each - 1] = birth[each]
    return requests_from_arrays(sizes, birth=birth, death=death)


def held_by_replay(requests: Requests, bins: ExactBins) -> int:
    """Bytes, when what the source does is done: a bin that has none makes a batch."""
    free: dict[tuple[bool, int], int] = {}
    objects: dict[int, tuple[tuple[bool, int], int]] = {}
    born = {int(ticket): number for number, ticket in enumerate(requests.birth)}
    held = 0
    reallocated: dict[int, int] = {}
    for event in events_of(requests).tolist():
        if event < 0:
            new = born.get(int(requests.death[~event]))
            if new is None:
                free[objects[~event][0]] += 1
            else:
                reallocated[new] = ~event
            continue
        size = int(requests.size[event])
        old = objects.get(reallocated.get(event, -1))
        if old is not None and size <= old[1]:
            objects[event] = old
            continue
        is_small = size <= most_small(bins)
        if is_small:
            index = bins.homes[int(small_index(np.array([size]), bins.target)[0])]
            room, batch = small_room(index, bins.target), bins.batches[index]
        else:
            index = int(large_index(np.array([size]), bins.target)[0])
            room, batch = large_room(index, bins.target), 1
        assert room >= size
        key = (is_small, index)
        if free.get(key, 0) > 0:
            free[key] -= 1
        else:
            free[key] = batch - 1
            held += batch * (room + bins.target.pointer_bytes)
        objects[event] = key, room
        if old is not None:
            free[old[0]] += 1
    return held


@given(any_requests(), st.sampled_from(MACHINES))
def test_what_is_said_to_be_held_is(requests: Requests, target: Target) -> None:
    bins = choose(requests, target)
    assert held_by_replay(requests, bins) == bins.most_held_bytes >= bins.most_living_bytes
    assert bins.at_once <= bins.requests == len(requests)


@given(any_requests(), st.sampled_from(MACHINES))
def test_every_small_size_has_a_bin_that_holds_it(requests: Requests, target: Target) -> None:
    bins = choose(requests, target)
    homes = bins.homes
    assert len(homes) == len(bins.batches)
    assert all(homes[home] == home >= max(index, least_index(target)) for index, home in enumerate(homes))
    assert 128 <= most_small(bins) <= 2047


@pytest.mark.parametrize("target", MACHINES, ids=lambda target: target.name)
def test_large_bins_hold_their_sizes_and_little_more(target: Target) -> None:
    sizes = np.concatenate((np.arange(141, 5000), 2 ** np.arange(13, 32), 2 ** np.arange(13, 31) + 5))
    rooms = np.array([large_room(int(index), target) for index in large_index(sizes, target)])
    assert (rooms >= sizes).all()
    assert (rooms <= sizes * 9 / 8 + 24).all()
    # Each bin ends where the next begins.
    for index in range(80):
        room = np.array([large_room(index, target)])
        assert large_index(room, target)[0] == index == large_index(room + 1, target)[0] - 1
    last = large_index(np.array([MOST_BYTES]), target)[0]
    assert choose(requests_from_arrays([8]), target).large_bins == last + 1


def test_frequent_sizes_have_bins_of_their_own_and_rare_ones_share() -> None:
    sizes = [24] * 5000 + [48] * 5000 + [36] * 3
    birth = 2 * np.arange(1, len(sizes) + 1)
    bins = choose(requests_from_arrays(sizes, birth=birth, death=birth + 1), TARGETS["riscv32"])
    own = {index for index, home in enumerate(bins.homes) if index == home}
    asked = {size: int(small_index(np.array([size]), bins.target)[0]) for size in (24, 36, 48)}
    assert asked[24] in own
    assert asked[48] in own
    assert bins.homes[asked[36]] == asked[48]
    assert (bins.sizes, bins.at_once) == (2, 10000)


def test_objects_that_shrink_keep_their_room() -> None:
    """A thousand that are made large, one after the other, and shrunk."""
    sizes = np.tile([1000, 16], 1000)
    birth = 2 * np.arange(1, len(sizes) + 1, dtype=np.uint64)
    death = np.where(sizes == 1000, birth + np.uint64(2), np.uint64(NEVER))
    bins = choose(requests_from_arrays(sizes, birth=birth, death=death), TARGETS["riscv32"])
    assert 1_000_000 < bins.most_held_bytes < 1_100_000
    assert bins.most_living_bytes < 20_000


def test_aligned_objects_are_no_bins_and_serve_what_fits_into_them() -> None:
    sizes, birth = np.array([100, 200, 300, 300]), np.array([1, 3, 5, 7])
    aligned = requests_from_arrays(sizes, birth=birth, death=birth + 1, alignment=[64] * 4)
    bins = choose(aligned, TARGETS["riscv32"])
    assert bins.most_held_bytes == sum(-(-(size + 4) // 8) * 8 + 64 for size in (100, 200, 300))
    assert bins.most_held_bytes > bins.most_living_bytes == 300


def test_bins_that_are_busy_in_turn_are_joined_for_memory() -> None:
    """One size after the other lives alone: with a bin each they would hold all of them together."""
    sizes = np.repeat(np.arange(40, 120, 8), 1000)
    place = np.arange(len(sizes))
    requests = requests_from_arrays(sizes, birth=2 * place + 2, death=2 * (place // 1000 * 1000 + 1000) + 1)
    bins = choose(requests, TARGETS["riscv32"])
    assert bins.most_held_bytes <= HELD_PER_LIVING * bins.most_living_bytes < sizes[::1000].sum() * 1000 / 2


def test_what_no_bin_holds_is_told_and_counts_for_nothing() -> None:
    target = TARGETS["riscv64"]
    few, more = ([100, 200], [100, MOST_BYTES + 1, 200, 2**64 - 1])
    bins = choose(requests_from_arrays(np.array(more, dtype=np.uint64)), target)
    assert bins.too_large == 2
    assert bins.largest == 2**64 - 1
    assert bins.most_living_bytes == 300
    assert bins.most_held_bytes == choose(requests_from_arrays(few), target).most_held_bytes
    assert "No bin holds 2 requests of the profile: they get nothing." in c_source(bins, "heap", "x.profile")
    fitting = c_source(replace(bins, too_large=0), "heap", "x.profile")
    assert "No bin holds" not in fitting


def test_the_source_has_its_own_names() -> None:
    bins = choose(requests_from_arrays([8, 16]), TARGETS["riscv32"])
    text = c_source(bins, "guest", "a*/b.profile")
    assert "HEAP_" not in text
    assert "void* guest_alloc(size_t bytes);" in text
    assert "a* /b.profile" in text
    assert "CONSTANTS" not in text
    assert "TABLES" not in text
