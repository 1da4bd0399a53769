"""What moving fields is predicted to save, where it can be worked out by hand."""

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.fields.arrangement import arrangement_of
from malloom.fields.table import field_table
from malloom.predictions.fields import Saved, Structure, saved_by_moving
from malloom.profile import HeapProfile
from python.fields.test_field_table import profile_of

GEOMETRY = geometry_from("L1:4K:4:64,L2:64K:8:64")
OBJECTS, SIZE, ROUNDS = 400, 256, 20


def visited(offsets: list[int], size: int = SIZE) -> HeapProfile:
    """Objects side by side that are visited in another order each round, at these offsets."""
    orders = [np.random.default_rng(round).permutation(OBJECTS) for round in range(ROUNDS)]
    accesses = [int(number) for order in orders for number in order for _ in offsets]
    return profile_of(
        [size] * OBJECTS,
        accesses=accesses,
        offsets=offsets * (OBJECTS * ROUNDS),
        address=0x10000000 + size * np.arange(OBJECTS),
    )


def saved_of(profile: HeapProfile) -> Saved:
    table = field_table(profile, GEOMETRY, 1)[0]
    kind = table.kinds[0]
    found = arrangement_of(table, kind)
    assert found is not None
    contexts = [table.sites.contexts[int(kind["context"])].hash]
    (saved,) = saved_by_moving(profile, GEOMETRY, [Structure(contexts, int(kind["size"]), found)], 1)
    return saved


def test_two_lines_become_one_and_all_first_parts_fit_the_cache() -> None:
    """The objects are 100 KiB and their first parts 6.25 KiB, of which the second level has room for 64."""
    saved = saved_of(visited([0, 248]))
    assert saved.beside == pytest.approx(0, abs=0.01)
    assert 0.4 < saved.together < 0.75
    assert saved.split is not None
    assert saved.split > 0.9


def test_what_is_used_whole_gains_nothing() -> None:
    saved = saved_of(visited(list(range(0, 64, 8)), size=64))
    assert saved == Saved(pytest.approx(0), pytest.approx(0), None)


def test_objects_of_other_sites_and_sizes_stay() -> None:
    profile = visited([0, 248])
    table = field_table(profile, GEOMETRY, 1)[0]
    found = arrangement_of(table, table.kinds[0])
    assert found is not None
    hashes = [context.hash for context in table.sites.contexts]
    for structure in (Structure([12345], SIZE, found), Structure(hashes, SIZE + 8, found)):
        (saved,) = saved_by_moving(profile, GEOMETRY, [structure], 1)
        assert (saved.beside, saved.together, saved.split) == (0, 0, 0)


def test_nothing_is_said_of_a_program_that_waits_for_nothing() -> None:
    profile = visited([0, 248])
    bare = HeapProfile.from_arrays([SIZE] * 4)
    found = arrangement_of(table := field_table(profile, GEOMETRY, 1)[0], table.kinds[0])
    assert found is not None
    assert saved_by_moving(bare, GEOMETRY, [Structure([1], SIZE, found)], 1) == []
