"""Recorded guests: their operations, and what is counted of a replay."""

import numpy as np
import pytest

from malloom.bench.bins import guests
from malloom.bench.bins.guest_machines import BINS, BUMP, RV32, ZERO_BUMP
from malloom.bench.bins.guest_traces import MAGIC, VERSION, Kind, operations
from malloom.bench.bins.guests import Count, Counts, goal_rows
from malloom.bench.goals import Goal

TEXT = b"""malloom profile text 1
chunk events process=1 thread=1 sequence=0 ticket=1 records=9 codec=plain
 1 allocate 10 size=40 context=1
 2 allocate_zeroed 20 size=16 context=1
 3 release 10
 4 allocate 10 size=0 context=1
 5 reallocate_release 20
 6 reallocate 30 size=32 context=1
 7 reallocate 40 size=8 context=2
 8 release 99
 9 release 30
"""


def test_operations_are_the_recorded_requests() -> None:
    """A resize keeps its slot; one of null is a request; what was not asked for is not freed."""
    trace = operations(TEXT.splitlines())
    rows = [
        tuple(each)
        for each in zip(trace.kinds.tolist(), trace.slots.tolist(), trace.sizes.tolist(), strict=True)
    ]
    assert rows == [
        (Kind.ALLOC, 0, 40),
        (Kind.ALLOC_ZEROED, 1, 16),
        (Kind.FREE, 0, 0),
        (Kind.ALLOC, 0, 1),
        (Kind.RESIZE, 1, 32),
        (Kind.ALLOC, 2, 8),
        (Kind.FREE, 1, 0),
    ]
    assert trace.requests == 5
    assert trace.peak == 56
    words = np.frombuffer(trace.encoded(), "<u4").tolist()
    assert words[:5] == [MAGIC, VERSION, 7, 3, trace.room]
    assert words[5:9] == [Kind.ALLOC, 40, 1 << 4 | Kind.ALLOC_ZEROED, 16]


def test_no_operations_are_a_trace_too() -> None:
    trace = operations([])
    assert (trace.requests, trace.peak, len(trace.encoded())) == (0, 0, 20)


def test_rows_compare_what_is_there() -> None:
    found = {BINS: Count(2200, 100, 1.2), BUMP: Count(2000, 100, 9.0)}
    rows = guests.rows_of(("json", "RV32IM"), found)
    assert [(each.variant, each.baseline, each.metric, each.ratio) for each in rows] == [
        (BINS, "one", guests.REQUEST, 22.0),
        (BINS, "one", guests.HELD, 1.2),
        (BUMP, "one", guests.REQUEST, 20.0),
        (BUMP, "one", guests.HELD, 9.0),
        (BINS, BUMP, guests.ALLOCATOR_INSTRUCTIONS, 1.1),
    ]


@pytest.mark.parametrize(("third", "is_reached"), [(110, True), (120, False)])
def test_the_goal_is_what_three_guests_reach(third: int, is_reached: bool) -> None:
    counts = Counts()
    for number, instructions in enumerate((third, 300, 90, 100, 400)):
        counts[f"guest{number}", RV32.name] = {
            BINS: Count(instructions, 10, 1.0 + number / 10),
            BUMP: Count(100, 10, 5.0),
            ZERO_BUMP: Count(200, 10, 5.0),
        }
    goals = [each for each in goal_rows(counts, RV32) if isinstance(each, Goal)]
    assert [each.reached for each in goals] == [is_reached, True, True]
    assert [round(each.row.ratio, 3) for each in goals] == [third / 100, third / 200, 1.2]


def test_few_guests_have_no_goal() -> None:
    counts = Counts()
    counts["json", RV32.name] = {BINS: Count(1, 1, 1.0)}
    assert goal_rows(counts, RV32) == []
