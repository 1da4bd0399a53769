"""Traces of real programs as lists of operations, and what quick lists keep by them."""

import numpy as np
import pytest

from malloom.bench.bins.guest_traces import Kind, Trace
from malloom.bench.bins.operations import MOST_BYTES, OperationList
from malloom.bench.bins.quick_lists import QuickLists, chosen
from malloom.bench.bins.simulator import Simulator
from malloom.bench.bins.traces import (
    BOUNDED,
    NEWLIB,
    QUICK,
    QUICK_BOUNDED,
    SHIPPED,
    TraceRuns,
    mean_rows,
    operation_list,
)
from malloom.bench.goals import Goal
from structure.source_tree import ROOT


def trace_of(*operations: tuple[Kind, int, int]) -> Trace:
    return Trace(*np.array(operations, dtype=np.int64).reshape(-1, 3).T)


def test_a_resize_is_a_release_and_a_request() -> None:
    trace = trace_of((Kind.ALLOC, 0, 40), (Kind.RESIZE, 0, 80), (Kind.ALLOC_ZEROED, 1, 8), (Kind.FREE, 0, 0))
    made = operation_list(trace)
    assert made.slots.tolist() == [0, 0, 0, 1, 0, 1]
    assert made.changes.tolist() == [40, -40, 80, 8, -80, -8]
    assert (made.peak, made.pairs) == (88, 3)


def test_what_has_no_room_in_an_operation_is_left_out() -> None:
    trace = trace_of(
        (Kind.ALLOC, 0, MOST_BYTES + 1), (Kind.ALLOC, 1, 8), (Kind.FREE, 0, 0), (Kind.FREE, 1, 0)
    )
    assert operation_list(trace).changes.tolist() == [8, -8]


def test_a_long_trace_is_cut_and_what_lives_is_released() -> None:
    trace = trace_of(*[(Kind.ALLOC, slot, 16) for slot in range(9)])
    made = operation_list(trace, most=4)
    assert made.changes.tolist() == [16] * 4 + [-16] * 4


def list_of(*changes: int) -> OperationList:
    return OperationList(np.zeros(len(changes), dtype=np.int64), np.asarray(changes))


def test_one_object_of_a_size_at_a_time_needs_one_place() -> None:
    """The first request of each size finds nothing; large ones that never come again are not kept."""
    assert chosen(list_of(*[40, -40] * 50, 9000, -9000)) == QuickLists(44, 1)


def test_bursts_need_as_many_places_as_objects() -> None:
    assert chosen(list_of(*([16] * 8 + [-16] * 8) * 20)).most_each == 8


@pytest.mark.parametrize("changes", [(), (100,)])
def test_lists_that_serve_nothing_are_small(changes: tuple[int, ...]) -> None:
    assert chosen(list_of(*changes)).most_each == 1


def test_means_are_of_the_traces_that_have_both_heaps() -> None:
    simulator = Simulator(ROOT / "build/firmware", 4)
    found = TraceRuns()
    found["json", simulator.place] = {QUICK: 100.0, QUICK_BOUNDED: 260.0, NEWLIB: 200.0}
    found["jq", simulator.place] = {QUICK: 100.0, SHIPPED: 300.0, NEWLIB: 50.0}
    found["jq", "another latency"] = {QUICK: 1.0, NEWLIB: 50.0}
    rows = mean_rows(found, simulator, judges=True)
    goals = [each for each in rows if isinstance(each, Goal)]
    assert [(each.row.variant, each.row.ratio, each.reached) for each in goals] == [
        (QUICK, pytest.approx(1.0), True),
        (QUICK_BOUNDED, pytest.approx(1.3), False),
    ]
    assert [each.variant for each in rows if not isinstance(each, Goal)] == [SHIPPED]
    assert BOUNDED not in {each.variant for each in rows if not isinstance(each, Goal)}
