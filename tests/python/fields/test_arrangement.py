"""Lines of a visit, held against what can be counted by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.fields.arrangement import Arrangement, Lines, arrangement_of, parts_of
from malloom.fields.table import OTHER_SIZES
from python.fields.test_field_table import profile_of, table_of


def arranged(size: int, visits: list[list[int]], each: int = 100) -> Arrangement:
    """Of objects that have one visit each, of the fields at these offsets."""
    objects = [number for number in range(len(visits) * each)]
    accesses = [number for number in objects for _ in visits[number % len(visits)]]
    offsets = [offset for number in objects for offset in visits[number % len(visits)]]
    profile = profile_of([size] * len(objects), accesses=accesses, offsets=offsets)
    table = table_of(profile)
    found = arrangement_of(table, table.kinds[0])
    assert found is not None
    return found


def test_fields_at_both_ends_of_a_line_are_brought_together() -> None:
    """Two fields 56 bytes apart share a line at one of four places where an object may begin."""
    found = arranged(64, [[0, 56]])
    assert found.as_it_is.apart == pytest.approx(1 + 3 / 4)
    # Of 16 bytes that begin at a multiple of 16 none lies across two lines.
    assert found.together.apart == pytest.approx(1.0)
    assert set(found.order) == {0, 56}


def test_what_is_seldom_used_is_split_off() -> None:
    """Of ten visits nine use what lies first and last of 256 bytes, and one all that lies between, too."""
    between = list(range(64, 192, 8))
    found = arranged(256, [[0, 248]] * 9 + [[0, *between, 248]])
    assert found.as_it_is.apart == pytest.approx(found.as_it_is.in_order)
    assert found.as_it_is.apart > 2
    assert set(found.order[:2]) == {0, 248}
    assert found.together.apart < found.as_it_is.apart / 1.5
    assert (found.kept_together, found.first_part) == (2, 16)
    # A quarter of a line for each object, and for one in ten the three or four of the rest.
    assert 0.25 + 0.2 <= found.split.in_order <= 0.25 + 0.4
    assert found.split.apart < found.as_it_is.apart


def test_a_field_alone_uses_one_line_or_a_part_of_it() -> None:
    found = arranged(32, [[8]])
    as_it_is, alone = Lines(1.0, 0.5), Lines(1.0, 0.25)
    # What is never used is half of the 32 bytes, where an object of 8 takes 16.
    assert found == Arrangement(as_it_is, as_it_is, (8,), (8,), alone, 8, 1)


def test_fields_of_which_visits_are_not_told_are_not_taken_for_unused() -> None:
    """Sets of fields know the first 64; all eighty are used in each visit."""
    found = arranged(640, [list(range(0, 640, 8))], each=30)
    assert len(found.order) < 80
    assert found.kept_together < len(found.order)


def test_where_all_is_used_together_nothing_is_split() -> None:
    found = arranged(16, [[0, 8]])
    assert found.kept_together == 0
    assert found.split == found.together


@given(
    words=st.lists(st.integers(0, 15), min_size=1, max_size=16, unique=True),
    sizes=st.lists(st.sampled_from([1, 2, 4, 8]), min_size=16, max_size=16),
    kept=st.integers(0, 16),
)
def test_every_byte_has_a_place_of_its_own(words: list[int], sizes: list[int], kept: int) -> None:
    lines = Lines(1.0, 1.0)
    order, of = tuple(8 * word for word in words), tuple(sizes[: len(words)])
    found = Arrangement(lines, lines, order, of, lines, 0, 0)
    parts = parts_of(found, 128, min(kept, len(words)))
    assert len(parts.places) == 128
    assert len(set(parts.places.tolist())) == 128
    assert parts.places.max() < parts.first_bytes + parts.second_bytes
    assert bool(kept) == (parts.second_bytes > 0) or parts.first_bytes >= 128
    for start, size in zip(order, of, strict=True):
        places = parts.places[start : start + size].astype(int)
        assert (np.diff(places) == 1).all()
        offset = int(places[0]) - (parts.first_bytes if places[0] >= parts.first_bytes else 0)
        assert offset % size == 0
    in_first = [start for start in order if parts.places[start] < parts.first_bytes]
    assert sorted(in_first) == sorted(order[: min(kept, len(words)) or len(words)])


def test_kinds_of_several_sizes_and_without_visits_have_none() -> None:
    size = list(range(8, 8 + 80 * 8, 8))
    profile = profile_of(size, context=[0] * 80, accesses=list(range(80)), offsets=[0] * 80)
    table = table_of(profile)
    other = next(kind for kind in table.kinds if kind["size"] == OTHER_SIZES)
    assert arrangement_of(table, other) is None


visits = st.lists(st.lists(st.integers(0, 15), min_size=1, max_size=6, unique=True), min_size=1, max_size=8)


@given(visits=visits)
def test_the_sets_are_those_of_the_visits(visits: list[list[int]]) -> None:
    """Objects in lines of their own, more between two uses of one than the first level has: a visit each."""
    accesses = [number for number, words in enumerate(visits) for _ in words]
    offsets = [8 * word for words in visits for word in words]
    profile = profile_of(
        [128] * len(visits),
        accesses=accesses,
        offsets=offsets,
        address=0x10000000 + 4096 * np.arange(len(visits)),
    )
    table = table_of(profile)
    kind = table.kinds[0]
    fields = [int(field["offset"]) // 8 for field in table.fields_of(kind) if field["visits"]]
    told = sorted(
        sorted(word for at, word in enumerate(fields) if int(row["fields"]) >> at & 1)
        for row in table.sets_of(kind)
        for _ in range(int(row["visits"]))
    )
    assert told == sorted(sorted(words) for words in visits)
