"""Tables of fields from profiles whose accesses are known, held against a count as plain as can be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom import formats
from malloom.cache.geometry import geometry_from
from malloom.fields.named import kind_types
from malloom.fields.show import as_object, as_text
from malloom.fields.table import OTHER_SIZES, FieldTable, field_table, kinds_of
from malloom.profile import Contexts, HeapProfile, Module

GEOMETRY = geometry_from("L1:512:2:64,L2:4K:4:64")
LINES = 8
"""That its first level holds."""


CONTEXTS = 3
MODULE = Module("/absent/program", "", 0, 1 << 20, 0, 1)


def profile_of(size: list[int], **columns: object) -> HeapProfile:
    """HeapProfile.from_arrays, with contexts of one known frame each."""
    numbers = np.arange(CONTEXTS, dtype=np.uint64)
    contexts = Contexts(
        offsets=np.arange(CONTEXTS + 1, dtype=np.uint64),
        frame_module=np.zeros(CONTEXTS, dtype=np.uint32),
        frame_offset=numbers * np.uint64(16),
        hashes=numbers + np.uint64(1),
    )
    return HeapProfile.from_arrays(size, contexts=contexts, modules=[MODULE], **columns)


def table_of(profile: HeapProfile, depth: int = 1) -> FieldTable:
    return field_table(profile, GEOMETRY, depth)[0]


def test_fields_are_told_by_offset_and_kinds_by_context_and_size() -> None:
    profile = profile_of(
        [64, 64, 32], context=[0, 0, 1], accesses=[0, 0, 1, 2, 2], offsets=[0, 8, 0, 16, 16],
        stores=[1, 0, 0, 1, 1],
    )  # fmt: skip
    table = table_of(profile)
    assert table.kinds["size"].tolist() == [64, 32]
    assert table.kinds["requests"].tolist() == [2, 1]
    assert [table.fields_of(kind)["offset"].tolist() for kind in table.kinds] == [[0, 8], [16]]
    assert table.fields["loads"].tolist() == [1, 1, 0]
    assert table.fields["stores"].tolist() == [1, 0, 2]
    assert table.accesses == 5 and table.unattributed == 0


def test_a_visit_ends_when_the_line_may_be_gone() -> None:
    """Object 0 is used, as many others as the first level has lines, and object 0 again, in another field."""
    for between, visits in ((LINES - 1, 1), (LINES, 2)):
        others = list(range(1, between + 1))
        accesses = [0, *others, 0]
        profile = profile_of(
            [64] * 20, context=[0] + [1] * 19, accesses=accesses, offsets=[0, *[0] * between, 24]
        )
        kind = table_of(profile).kinds[0]
        assert kind["visits"] == visits
        assert kind["pairs"] == (1 if visits == 1 else 0)


def test_misses_are_those_of_the_fields() -> None:
    """Objects of two lines, walked twice: each access is to a new line; the walk exceeds the last level."""
    objects = 100
    walk = [number for number in range(objects) for _ in range(2)]
    profile = profile_of(
        [128] * objects, accesses=walk * 2, offsets=[0, 64] * objects * 2,
        address=0x10000000 + 4096 * np.arange(objects),
    )  # fmt: skip
    table = table_of(profile)
    assert table.fields["first_misses"].tolist() == [200, 200]
    assert table.fields["last_misses"].tolist() == [200, 200]
    assert 100 <= table.fields["hidden_misses"][0] < 200, "the first walk is of new memory"
    assert table.fields["hidden_misses"][1] == 200, "the line before it is in the same page"


def test_what_lies_far_inside_is_told_of_the_kind_only() -> None:
    limit = formats.load("fields").limits["largest_offset"]
    profile = profile_of([100_000], accesses=[0, 0], offsets=[limit, limit + 1])
    table = table_of(profile)
    assert (table.kinds["loads"].tolist(), table.unattributed) == ([2], 1)
    assert table.fields["offset"].tolist() == [limit]


def test_rare_sizes_of_a_context_are_one_kind() -> None:
    most = formats.load("fields").limits["most_sizes"]
    size = [*range(1, most + 11), *range(1, most + 1)]
    kinds, context, of_request = kinds_of(
        np.zeros(len(size), dtype=np.uint32), np.array(size, dtype=np.uint64)
    )
    assert kinds.tolist() == [*range(1, most + 1), OTHER_SIZES]
    assert set(context.tolist()) == {0}
    assert Counter(of_request.tolist())[most] == 10


def test_a_profile_without_accesses_of_a_kind_has_it_without_fields() -> None:
    table = table_of(profile_of([8, 16], context=[0, 1], accesses=[1]))
    assert table.kinds["fields"].tolist() == [0, 1]
    with kind_types(table) as types:
        assert [kind["size"] for kind in as_object(table, [], types)["kinds"]] == [16]


streams = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 7), st.booleans()), min_size=1, max_size=120)


@given(stream=streams, contexts=st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_counts_are_those_of_a_plain_count(stream: list[tuple[int, int, bool]], contexts: list[int]) -> None:
    size = [64 + 8 * (number % 2) for number in range(12)]
    request, word, stores = zip(*stream, strict=True)
    profile = profile_of(
        size, context=contexts, accesses=request, offsets=[8 * each for each in word], stores=stores
    )
    table = table_of(profile)
    expected = Counter((contexts[each], size[each], 8 * offset, store) for each, offset, store in stream)
    found = Counter(
        {
            (context_of(profile, table, kind), int(kind["size"]), int(field["offset"]), is_store): int(
                field["stores" if is_store else "loads"]
            )
            for kind in table.kinds
            for field in table.fields_of(kind)
            for is_store in (False, True)
        }
    )
    assert +found == expected
    for kind in table.kinds:
        fields, pairs = table.fields_of(kind), table.pairs_of(kind)
        assert kind["loads"] + kind["stores"] == (fields["loads"] + fields["stores"]).sum()
        assert kind["first_misses"] == fields["first_misses"].sum()
        assert (fields["visits"] <= kind["visits"]).all()
        for pair in pairs:
            assert (
                0 < pair["visits"] <= min(fields[pair["first"]]["visits"], fields[pair["second"]]["visits"])
            )


def context_of(profile: HeapProfile, table: FieldTable, kind: np.void) -> int:
    """The profile's number of a kind's context."""
    wanted = table.sites.contexts[int(kind["context"])].frames[0]
    offset = table.sites.frames[wanted].site.offset
    return profile.contexts.frame_offset.tolist().index(offset)


@given(stream=streams)
def test_visits_are_those_of_a_plain_count(stream: list[tuple[int, int, bool]]) -> None:
    """Objects of a line each, far from each other, so that the misses are those of one cache set of lines."""
    request, word, _ = zip(*stream, strict=True)
    geometry = geometry_from("L1:128:2:64")
    profile = profile_of(
        [64] * 12, accesses=request, offsets=[8 * each for each in word],
        address=0x10000000 + 64 * np.arange(12),
    )  # fmt: skip
    table = field_table(profile, geometry, 1)[0]
    cache: list[int] = []
    misses, visits = 0, 0
    latest: dict[int, int] = {}
    for each in request:
        if each in cache:
            cache.remove(each)
        else:
            misses += 1
        cache = [each, *cache][:2]
        visits += each not in latest or misses - latest[each] >= 2
        latest[each] = misses
    assert table.kinds["visits"].sum() == visits
    assert table.kinds["first_misses"].sum() == misses


@pytest.mark.parametrize("top", [0, 1])
def test_it_is_printed(top: int) -> None:
    profile = profile_of([64, 32], context=[0, 1], accesses=[0, 0, 1], offsets=[0, 8, 0])
    table = table_of(profile)
    with kind_types(table) as types:
        text = "\n".join(as_text(table, top, types, 120))
    assert "objects of 64 bytes" in text and "8:8 100%" in text
    assert ("1 more kind" in text) == (top == 1)


def test_lines_are_as_long_as_is_asked_for() -> None:
    profile = profile_of([64, 32], context=[0, 1], accesses=[0, 0, 0, 1], offsets=[0, 8, 16, 0])
    table = table_of(profile)
    with kind_types(table) as types:
        wide, narrow = (list(as_text(table, 0, types, width)) for width in (160, 60))
    assert max(map(len, narrow)) <= 60 < max(map(len, wide))
    assert " ".join(narrow).split() == " ".join(wide).split()
