"""Fields in other places, against a plain model that is given their addresses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malloom.cache.geometry import geometry_from
from malloom.cache.simulate import Sample, Simulation
from malloom.profile import HeapProfile
from python.cache.test_simulation import SHAPES, plain_misses

COUNT, WORDS, FIRST_WORDS = 64, 12, 5
"""Requests; words of 8 bytes of an object, and of the first part of a split one."""
NOWHERE = np.full(COUNT, -1)

WORD_ACCESSES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, WORDS)), max_size=300)


@settings(deadline=None)
@given(accesses=WORD_ACCESSES, shape=st.sampled_from(SHAPES), order=st.permutations(range(WORDS)))
def test_they_miss_as_a_plain_machine_with_their_addresses(
    accesses: list[tuple[int, int]], shape: str, order: list[int]
) -> None:
    """Objects of even numbers are split. One word of each is read behind what is known of the structure."""
    geometry = geometry_from(shape)
    requests, words = [request for request, _ in accesses], [word for _, word in accesses]
    profile = HeapProfile.from_arrays([112] * COUNT, accesses=requests, offsets=[8 * word for word in words])
    offset = np.random.default_rng(len(accesses)).permutation(COUNT) * 112
    second = np.where(np.arange(COUNT) % 2, -1, (1 << 20) + np.arange(COUNT) * 64)
    places = np.concatenate([8 * place + np.arange(8) for place in order])
    simulation = Simulation(profile, geometry)
    simulation.add_moved("split", offset, second, places, 8 * FIRST_WORDS, 8 * (WORDS - FIRST_WORDS))

    def address(request: int, word: int) -> int:
        if request % 2 or word >= WORDS:
            return int(offset[request]) + 8 * word
        place = order[word]
        in_first = place < FIRST_WORDS
        return 8 * place + int(offset[request] if in_first else second[request] - 8 * FIRST_WORDS)

    wanted = plain_misses(geometry, [address(*access) for access in accesses])
    counts = simulation.run()["split"]
    assert [level.misses for level in (*counts.caches, *counts.tlbs)] == wanted


def test_one_object_with_its_fields_as_they_are_counts_as_no_move_does() -> None:
    accesses = [number * 7 % COUNT for number in range(2000)]
    profile = HeapProfile.from_arrays(
        [96] * COUNT, accesses=accesses, offsets=[8 * (n % 12) for n in accesses]
    )
    simulation = Simulation(profile, geometry_from("zen5"))
    offset = np.arange(COUNT) * 96
    simulation.add("as it is", offset)
    simulation.add_moved("moved", offset, np.zeros(COUNT), np.arange(96), 96, 0)
    counts = simulation.run()
    assert counts["moved"].caches == counts["as it is"].caches


def test_windows_know_both_parts_that_were_used_between_them() -> None:
    profile = HeapProfile.from_arrays([64] * 10, accesses=list(range(10)) * 100, offsets=[0, 48] * 500)
    simulation, offset = Simulation(profile, geometry_from("p4")), np.arange(10) * 64
    places = np.arange(64)
    simulation.add("as it is", offset)
    simulation.add_moved("moved", offset, np.zeros(10), places, 64, 0)
    simulation.add_moved("split", offset, offset + 4096, places, 32, 32)
    counts = simulation.run(Sample(skip=100, take=400))
    assert counts["moved"].caches == counts["as it is"].caches
    # By the end of a window's warm-up all lines are in.
    assert [level.misses for level in counts["split"].caches] == [0] * len(counts["split"].caches)
    assert counts["split"].caches[0].references == 600


@pytest.mark.parametrize(
    ("places", "first_bytes", "second_bytes"),
    [([0, 8], 8, 0), ([0, 1, 2], 2, 0), ([7, 12], 8, 4), ([2**32 - 1], 8, 8)],
)
def test_a_place_outside_of_the_objects_is_refused(
    places: list[int], first_bytes: int, second_bytes: int
) -> None:
    simulation = Simulation(HeapProfile.from_arrays([96] * COUNT), geometry_from("zen5"))
    with pytest.raises(ValueError, match="outside"):
        simulation.add_moved("x", NOWHERE, np.zeros(COUNT), np.array(places), first_bytes, second_bytes)


def test_columns_of_another_length_are_refused() -> None:
    simulation = Simulation(HeapProfile.from_arrays([96] * COUNT), geometry_from("zen5"))
    with pytest.raises(ValueError, match="number of requests"):
        simulation.add_moved("x", NOWHERE, np.zeros(COUNT - 1), np.arange(96), 96, 0)
