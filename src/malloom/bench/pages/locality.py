"""Locality (table 1): what programs miss in the paper's caches where the page heap places their objects, and
where a buddy heap does. The heaps' own accesses are not in it."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from malloom import _native
from malloom.bench.cases import Case
from malloom.bench.gathered import Gathered
from malloom.bench.means import MEAN, mean_of
from malloom.bench.pages.buddy import BuddyHeap
from malloom.bench.pages.programs import PROGRAMS, Scale
from malloom.bench.steps import Bench, Step, conclusion
from malloom.cache.geometry import geometry_from
from malloom.cache.simulate import SimulatedCounts, simulate
from malloom.errors import CommandError
from malloom.layout.bin_replay import events_of, most_living_bytes
from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row
from malloom.measure.stages import record
from malloom.profile import HeapProfile
from malloom.profile.requests import I64, Requests

PART = "locality"
CACHES = "L1:16K:4:32,L2:256K:4:32"
"""The data side of the paper's table 2."""
PAGES, BUDDY, LOWEST = "pages", "buddy", "buddy, lowest first"
FIRST_LEVEL, SECOND_LEVEL, TOUCHED = "first_level_misses", "second_level_misses", "pages_touched"
CASES = tuple(program.case(Scale.TRACED) for program in PROGRAMS)
ROOM = 1 << 24
"""Bytes beside eight times what lives."""

Counts = dict[str, float]
"""By metric."""


class Measured(Gathered[dict[str, Counts]]):
    """By where objects lie."""

    kind = dict[str, Counts]


def steps(cases: Sequence[Case] = CASES) -> list[Step]:
    measured = Measured()
    return [
        *(
            Step(PART, str(case), partial(_rows, case=case, measured=measured), 15.0, gathers=measured)
            for case in cases
        ),
        conclusion(PART, MEAN, lambda: mean_rows(measured)),
    ]


def _rows(bench: Bench, case: Case, measured: Measured) -> list[Row]:
    bench.say(f"recording {case}")
    path = bench.file(case, "profile")
    record(case.command(bench).arguments, path, "full")
    profile = HeapProfile.open(path)
    bench.say(f"simulating {case}: {PAGES}, {BUDDY}")
    found = simulate(profile, places_of(profile.requests), geometry_from(CACHES))
    measured[case.place] = {name: _counts(counts) for name, counts in found.items()}
    return rows_of(case.place, measured[case.place])


def _counts(counts: SimulatedCounts) -> Counts:
    first, second = counts.caches
    return {FIRST_LEVEL: first.misses, SECOND_LEVEL: second.misses, TOUCHED: counts.pages}


def places_of(requests: Requests) -> dict[str, I64]:
    """Where each heap puts each request. Raises CommandError where one has no room for it."""
    events = events_of(requests)
    room = 8 * most_living_bytes(requests) + ROOM
    placed = _native.place_in_pages(requests.size, requests.alignment, events, room)
    places = {
        PAGES: placed,
        BUDDY: in_buddy_heap(requests, events, room),
        LOWEST: in_buddy_heap(requests, events, room, lowest_first=True),
    }
    for name, found in places.items():
        if (found < 0).any():
            raise CommandError(f"{name} has no room in {room} bytes")
    return places


def in_buddy_heap(requests: Requests, events: I64, room: int, *, lowest_first: bool = False) -> I64:
    """The same in a memory of at least so many bytes; -1 where there is no room."""
    heap = BuddyHeap(room.bit_length(), lowest_first=lowest_first)
    places = np.full(len(requests), -1, dtype=np.int64)
    for event in events.tolist():
        if event < 0:
            heap.release(int(places[~event]))
        else:
            place = heap.allocate(int(requests.size[event]), int(requests.alignment[event]))
            places[event] = -1 if place is None else place
    return places


def rows_of(place: Place, counts: dict[str, Counts]) -> list[Row]:
    """Against the buddy heap, as counts of the same accesses."""
    return [
        row(place, name, BUDDY, metric, exact(_ratio(counts[name][metric], counts[BUDDY][metric])))
        for name in (PAGES, LOWEST)
        for metric in (FIRST_LEVEL, SECOND_LEVEL, TOUCHED)
    ]


def _ratio(count: float, base: float) -> float:
    return count / base if base else 1.0


def mean_rows(measured: Measured) -> list[Row]:
    """Over all programs."""
    if not measured:
        return []
    programs = [rows_of(program, counts) for program, counts in measured.items()]
    place = (MEAN, f"{len(programs)} programs")
    return [
        row(place, alike[0].variant, BUDDY, alike[0].metric, exact(mean_of([each.ratio for each in alike])))
        for alike in zip(*programs, strict=True)
    ]
