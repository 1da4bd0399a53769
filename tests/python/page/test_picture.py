"""What a picture of the heap counts, against plain models of it."""

import gzip
import json
from base64 import b64encode
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malloom.errors import CommandError
from malloom.layout.layout import NO_PLACE, Layout
from malloom.page import heap_lines
from malloom.page.heap_lines import (
    ARENA,
    MOST_PAGES,
    MOST_SPOTS,
    drawn_map,
    occupied,
    planned_places,
    recorded_places,
    uses_of_lines,
)
from malloom.page.picture import page_data, picture_of
from malloom.page.walk import STEP_ACCESSES, STEPS, walks_of
from malloom.profile import HeapProfile

BASE = 0x7F0000000000


@st.composite
def heaps(draw: st.DrawFn) -> HeapProfile:
    count = draw(st.integers(1, 12))
    size = draw(st.lists(st.integers(1, 9000), min_size=count, max_size=count))
    address = draw(st.lists(st.integers(0, 60_000), min_size=count, max_size=count))
    request = draw(st.lists(st.integers(0, count - 1), max_size=60))
    offset = [draw(st.integers(0, max(size[each] - 8, 0))) for each in request]
    where = np.asarray(address, dtype=np.uint64) * np.uint64(16) + np.uint64(BASE)
    return HeapProfile.from_arrays(size, address=where, accesses=request, offsets=offset)


def accesses_of(profile: HeapProfile) -> list[tuple[int, int]]:
    found = []
    source = profile.accesses()
    while len((batch := source.next_batch())[0]):
        found += [
            (int(each), int(packed) & (2**48 - 1)) for each, packed in zip(batch[0], batch[2], strict=True)
        ]
    return found


@settings(deadline=None)
@given(heaps())
def test_lines_are_those_of_the_plain_model(profile: HeapProfile) -> None:
    touched: dict[int, set[int]] = defaultdict(set)
    counts: dict[int, int] = defaultdict(int)
    for request, offset in accesses_of(profile):
        begin = int(profile.requests.address[request]) + offset
        for byte in range(begin, begin + 8):
            touched[byte // 64].add(byte)
        for line in {begin // 64, (begin + 7) // 64}:
            counts[line] += 1
    (uses,) = uses_of_lines(profile, [recorded_places(profile)])
    assert uses.lines == len(touched)
    assert uses.pages.tolist() == sorted({line // 64 for line in touched})
    assert uses.bytes_per_line * max(len(touched), 1) == pytest.approx(sum(map(len, touched.values())))
    row = {page: at for at, page in enumerate(uses.pages.tolist())}
    assert {line: int(uses.accesses[row[line // 64], line % 64]) for line in counts} == counts


@settings(deadline=None)
@given(heaps())
def test_a_map_holds_what_lies_in_its_lines(profile: HeapProfile) -> None:
    lying: dict[int, list[int]] = defaultdict(list)
    for request, (address, size) in enumerate(
        zip(profile.requests.address.tolist(), profile.requests.size.tolist(), strict=True)
    ):
        for line in range(address // 64, (address + size - 1) // 64 + 1):
            lying[line].append(request)
    places = recorded_places(profile)
    room = occupied(profile, places)
    assert room.lines == len(lying)
    owner = np.arange(len(profile.requests))
    drawn = drawn_map(profile, places, room.pages, owner, None)
    assert drawn.pages.tolist() == sorted({line // 64 for line in lying})
    lines = [int(drawn.pages[cell // 64]) * 64 + cell % 64 for cell in drawn.cells.tolist()]
    assert lines == sorted(lying)
    assert drawn.objects.tolist() == [len(lying[line]) for line in lines]
    assert drawn.born.tolist() == [lying[line][0] for line in lines]
    for line, found in zip(lines, drawn.owner.tolist(), strict=True):
        most = max(int(profile.requests.accesses[each]) for each in lying[line])
        assert int(profile.requests.accesses[found]) == most


def test_of_many_pages_the_hottest_are_drawn() -> None:
    count = MOST_PAGES + 50
    address = np.arange(count, dtype=np.uint64) * np.uint64(8192) + np.uint64(BASE)
    hot = np.arange(40, count)
    profile = HeapProfile.from_arrays([48] * count, address=address, accesses=hot)
    (drawn,) = (each.drawn for each in picture_of(profile, None).maps)
    assert drawn.pages_in_all == count
    assert len(drawn.pages) == MOST_PAGES
    cold = set((address // np.uint64(4096))[:40].tolist())
    assert not cold & set(drawn.pages.tolist())
    assert drawn.cells_of(address[:42] // np.uint64(64)).tolist() == [0, 64]


def test_an_object_that_is_not_drawn_in_whole_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_lines, "MOST_PAGES", 2)
    address = np.asarray([BASE + 64], dtype=np.uint64)
    profile = HeapProfile.from_arrays([5 * 4096], address=address, accesses=[0, 0], offsets=[4096, 3 * 4096])
    (each,) = picture_of(profile, None).maps
    assert (each.drawn.pages - np.uint64(BASE // 4096)).tolist() == [1, 3]
    assert (each.drawn.spots.begin.tolist(), each.drawn.spots.end.tolist()) == ([0], [8192])
    assert each.drawn.spots.size.tolist() == [5 * 4096]


def test_what_a_plan_leaves_out_stays_where_it_was_recorded() -> None:
    profile = HeapProfile.from_arrays([48] * 3, accesses=[0, 1, 2])
    layout = Layout("half", np.asarray([64, NO_PLACE, 0]), 128)
    places = planned_places(profile, layout)
    assert places.address.tolist() == [ARENA + 64, int(profile.requests.address[1]), ARENA]
    _, planned = picture_of(profile, layout).maps
    assert (planned.placed, planned.lines, planned.pages) == (2, 3, 2)


def test_a_denser_layout_touches_fewer_lines_in_every_step() -> None:
    count = 4000
    address = np.arange(count, dtype=np.uint64) * np.uint64(256) + np.uint64(BASE)
    order = np.random.default_rng(1).permutation(count)
    use = np.tile(order, 30)
    profile = HeapProfile.from_arrays([16] * count, address=address, accesses=use)
    offset = np.empty(count, dtype=np.int64)
    offset[order] = np.arange(count) * 16
    picture = picture_of(profile, Layout("dense", offset, count * 16))
    assert [walk.name for walk in picture.walks] == ["in a row", "spread over the run"]
    for walk in picture.walks:
        assert len(walk.steps) == STEPS
        for step in walk.steps:
            (recorded, recorded_pages), (planned, planned_pages) = step.counts
            assert recorded == STEP_ACCESSES
            assert planned <= STEP_ACCESSES // 4 + 2
            assert planned_pages < recorded_pages
    assert len(uses_of_lines(profile, [recorded_places(profile)])) == 1


def test_a_walk_has_the_lines_of_its_accesses() -> None:
    profile = HeapProfile.from_arrays([100] * 50, accesses=np.arange(1000) % 50, offsets=np.full(1000, 60))
    (walk,) = walks_of(profile, [recorded_places(profile)])
    assert len(walk.steps) == -(-1000 // STEP_ACCESSES)
    for step in walk.steps:
        part = (np.arange(1000) % 50)[step.begin : step.begin + STEP_ACCESSES]
        begin = profile.requests.address[part].astype(np.int64) + 60
        expected = {int(byte) // 64 for first in begin for byte in (first, first + 7)}
        assert set(step.lines[0].tolist()) == expected


def test_without_accesses_there_are_owners_and_no_walk() -> None:
    picture = picture_of(HeapProfile.from_arrays([48] * 4, context=[0, 1, 1, 1]), None)
    (each,) = picture.maps
    assert picture.walks == []
    assert each.bytes_per_line is None
    assert (each.lines, each.pages) == (3, 1)
    assert picture.owners.bytes == [144, 48]
    assert picture.owners.of_request.tolist() == [1, 0, 0, 0]


def test_a_profile_without_requests_is_refused() -> None:
    with pytest.raises(CommandError, match="made no request"):
        picture_of(HeapProfile.from_arrays([]), None)


def test_a_page_of_a_large_heap_has_its_bound() -> None:
    random = np.random.default_rng(3)
    count = 120_000
    address = random.integers(0, 3 * MOST_PAGES * 256, count).astype(np.uint64) * np.uint64(16) + np.uint64(
        BASE
    )
    size = random.integers(16, 400, count)
    use = random.integers(0, count, 400_000)
    profile = HeapProfile.from_arrays(
        size, address=address, context=random.integers(0, 3000, count), accesses=use
    )
    offset = random.permutation(count) * 16
    picture = picture_of(profile, Layout("shuffled", offset, count * 16))
    assert [len(each.drawn.spots.begin) for each in picture.maps] == [MOST_SPOTS] * 2
    data = json.dumps(page_data(Path("run.profile"), profile, picture, "")).encode()
    assert len(b64encode(gzip.compress(data))) < 15_000_000
