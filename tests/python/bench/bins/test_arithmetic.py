"""What the suite makes of cycles: ratios over graphs, pairs to break even, bin use, goals."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from malloom.bench.bins import automatic, figure8, others
from malloom.bench.bins.bin_use import even_bins, group_shares
from malloom.bench.bins.figure5 import (
    GENERATED,
    Sizes,
    _goals,
    all_sizes,
    call_cycles,
    calls_file,
    irregular_begins,
)
from malloom.bench.bins.figure8 import PAPERS, SHIPPED, pairs_to_break_even, ratios_after
from malloom.bench.bins.inputs import CLUSTER_BYTES, Input, Room, inputs
from malloom.bench.bins.operations import Allocator, Function, OperationList, Ranges, Rehash
from malloom.bench.bins.replays import CYCLES, WITH_REHASH, Graphs, Spread
from malloom.bench.bins.scale import full_scale
from malloom.bench.bins.simulator import Run, Simulator, fields_of, runs_of
from malloom.bench.goals import Goal
from malloom.bench.simulations import side_by_side
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.measure.rows import Row

LINES = """run 0 cycles 1000 worst_allocation 30 worst_release 40 pairs 10 failures 0 held 99
bin_of_run 0 begin 0 count 7
bin_of_run 0 begin 64 count 3
run 1 cycles 800 worst_allocation 50 worst_release 20 pairs 10 failures 1 held 98 rehash 300
"""


def run_of(cycles: int, rehash: int = 0, failures: int = 0) -> Run:
    return Run(
        cycles=cycles,
        worst_allocation=1,
        worst_release=1,
        pairs=10,
        failures=failures,
        held=0,
        rehash=rehash,
        tables=0,
        bins=127,
        steps=0,
    )


def test_printed_runs_are_read() -> None:
    first, second = runs_of([fields_of(line) for line in LINES.splitlines()])
    assert (first.cycles, first.pair_cycles, first.worst, first.use) == (1000, 100.0, 40, ((0, 7), (64, 3)))
    assert (second.failures, second.rehash, second.worst, second.use) == (1, 300, 50, ())


@pytest.mark.parametrize("line", ["run 0 cycles", "run zero"])
def test_what_is_no_line_of_fields_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"shorter|longer|invalid literal"):
        fields_of(line)


def test_irregular_begins_are_of_as_many_bins_and_follow_no_rule() -> None:
    begins = irregular_begins()
    assert begins == irregular_begins() == sorted(set(begins)) and len(begins) == 127
    assert begins[0] == 0 and all(begin % 8 == 0 for begin in begins)
    distances = {after - before for before, after in pairwise(begins)}
    assert len(distances) > 40, "dlmalloc's bins have seven"


def test_begins_that_are_given_follow_the_sizes() -> None:
    words = np.frombuffer(calls_file(Function.GENERATED, Sizes("4K", 7), False, [0, 8, 24]), "<u4").tolist()
    assert words[-7:] == [4096, 7, 8, 0, 0, 8, 24]
    assert words[7] == Ranges.GIVEN


def test_found_things_keep_their_order_and_are_counted() -> None:
    heard: list[int] = []
    assert side_by_side([3, 1, 2], lambda number: number * 2, heard.append) == [6, 2, 4]
    assert heard == [1, 2, 3]


def test_what_fails_side_by_side_is_raised() -> None:
    def fail(number: int) -> int:
        raise CommandError(f"no {number}")

    with pytest.raises(CommandError, match="no 1"):
        side_by_side([1, 2], fail, lambda _: None)


def test_a_spread_is_of_the_ratios() -> None:
    spread = Spread.of([0.5, 1.0, 0.9])
    rows = spread.rows(("heap", "3"), "initial", CYCLES, 3)
    assert [(row.variant, row.ratio) for row in rows] == [
        ("graphs-worst", 1.0),
        ("graphs-mean", pytest.approx(0.8)),
        ("graphs-best", 0.5),
    ]
    assert all(row.is_exact for row in rows)
    (goal,) = spread.goals(("heap", "3"), "initial", CYCLES, 3, {"mean": 0.65})
    assert isinstance(goal, Goal)
    assert (goal.row, goal.limit, goal.reached) == (rows[1], 0.65, False)


GRAPHS = [
    [run_of(1000), run_of(1100), run_of(900, 50), run_of(700, 100), run_of(600, 100)],
    [run_of(500), run_of(500), run_of(500, 50), run_of(600, 100), run_of(300, 100)],
]
"""The baseline, then a run before any rehash, then one after each of three."""


def test_runs_are_compared_with_the_baseline() -> None:
    assert ratios_after(GRAPHS, 0, CYCLES) == [1.1, 1.0]
    assert ratios_after(GRAPHS, 2, CYCLES) == [0.7, 1.2]
    assert ratios_after(GRAPHS, 2, WITH_REHASH) == [0.8, 1.4]


def test_rehashes_are_paid_for_by_what_a_pair_saves() -> None:
    """After three: 250 each, 500 in all; saved are 600 cycles in 20 pairs."""
    assert pairs_to_break_even(GRAPHS, 3) == pytest.approx(500 / (600 / 20) / 2)
    assert pairs_to_break_even(GRAPHS, 0) is None


class Fake(Simulator):
    """The core is not asked: runs are what each heap would have."""

    def replay(self, replay, judged, learned=None):  # type: ignore[no-untyped-def]
        if replay.allocator is Allocator.COMPILED_IN:
            return [run_of(1000)]
        assert (replay.function, replay.runs) == (Function.GENERATED, replay.rehashes + 1)
        return [run_of(1000 - 10 * number, 20 if number else 0) for number in range(replay.runs)]


def bench_of(notes: list[str]) -> Bench:
    return Bench(Path(), Path(), lambda _: None, lambda _what, _error: None, notes.append)


def replayed(graphs: Graphs, heap: figure8.Heap, rehashes: int, judges: bool) -> Found:
    """The rows of the graphs, which are replayed two at a time."""
    replays = figure8.Replays()
    for part in graphs.parts(2):
        assert figure8.replay_graphs(bench_of([]), part, heap, rehashes, replays) == []
    return figure8.figure8_rows(replays, graphs, heap, rehashes, judges)


class Measuring(Simulator):
    """Octaves are the quicker, the nearer to 32 bins the more; a list takes as long as it has slots."""

    of_those_it_has = 600

    def replay(self, replay, judged, learned=None):  # type: ignore[no-untyped-def]
        slower = {Rehash.BY_OCTAVE: 0, Rehash.AS_THEY_ARE: self.of_those_it_has}.get(replay.rehash, 500)
        return [run_of(9000), run_of(1000 * judged.slot_count + slower + abs(replay.rehash_bins - 32))]


def test_a_race_takes_the_quickest_ranges_and_number_of_bins() -> None:
    few, many = (OperationList(np.arange(count), np.full(count, 8)) for count in (1, 4))
    given = Input(0, judged=few, learned=many, heap_bytes=64)
    chosen = figure8.raced(figure8.RACED, given, Measuring(Path(), 4))
    assert (chosen.rehash, chosen.bins, chosen.allocator) == (Rehash.BY_OCTAVE, 32, Allocator.PAPER)
    assert figure8.replay_of(chosen, 64, 3).rehash_bins == 32


def test_a_race_may_leave_the_bins_as_they_are() -> None:
    measuring = Measuring(Path(), 4)
    object.__setattr__(measuring, "of_those_it_has", -100)
    given = Input(0, judged=OperationList(np.arange(2), np.full(2, 8)), learned=None, heap_bytes=64)
    chosen = figure8.raced(figure8.RACED, given, measuring)
    assert (chosen.rehash, chosen.bins) == (Rehash.AS_THEY_ARE, 0)


def test_only_a_race_changes_the_number_of_bins() -> None:
    assert figure8.replay_of(PAPERS, 64, 3).rehash_bins == 0


@pytest.mark.parametrize(("heap", "rehash"), [(PAPERS, Rehash.LINEAR), (SHIPPED, Rehash.BY_OCTAVE)])
def test_figure_8_has_three_rows_a_rehash_and_goals_at_the_end(heap: figure8.Heap, rehash: Rehash) -> None:
    assert figure8.replay_of(heap, 64, 9).rehash is rehash
    graphs = Graphs(Fake(Path(), 4), Room.TWICE, 3)
    found = replayed(graphs, heap, 9, judges=True)
    rows = [each for each in found if isinstance(each, Row)]
    means = [
        row for row in rows if (row.variant, row.metric) == ("graphs-mean", CYCLES) and row.input.isdigit()
    ]
    assert [row.input for row in means] == [str(number) for number in range(10)]
    assert {row.runs for row in means} == {3}
    assert [row.ratio for row in means] == [pytest.approx(1 - number / 100) for number in range(10)]
    goals = {(goal.row.metric, goal.row.variant): goal for goal in found if isinstance(goal, Goal)}
    held = {key: (round(goal.value or 0, 3), goal.limit) for key, goal in goals.items()}
    if heap is PAPERS:
        assert held == {
            (CYCLES, "graphs-mean"): (0.91, pytest.approx(0.65)),
            (CYCLES, "graphs-best"): (0.91, pytest.approx(0.44)),
        }
    else:
        assert held == {
            (CYCLES, "graphs-mean"): (0.97, 1.0),
            (CYCLES, "graphs-worst"): (0.97, 1.02),
            (WITH_REHASH, "graphs-mean"): (0.99, 1.0),
            (WITH_REHASH, "graphs-worst"): (0.99, 1.02),
        }


def test_without_judging_there_are_rows_alone() -> None:
    for heap in (PAPERS, SHIPPED):
        graphs = Graphs(Fake(Path(), 4), Room.TWICE, 2)
        found = replayed(graphs, heap, 2, judges=False)
        assert found
        assert not any(isinstance(each, Goal) for each in found)


def test_graphs_come_in_parts_and_are_the_same() -> None:
    graphs = Graphs(Fake(Path(), 4), Room.TWICE, 5)
    parts = graphs.parts(2)
    assert [part.numbers for part in parts] == ["graphs 1 to 2", "graphs 3 to 4", "graphs 5 to 5"]
    whole = [given.number for given in inputs(5, Room.TWICE, True)]
    assert [
        given.number for part in parts for given in inputs(part.count, Room.TWICE, True, part.first)
    ] == whole


def test_of_no_replay_there_are_no_rows() -> None:
    graphs = Graphs(Fake(Path(), 4), Room.TWICE, 3)
    assert figure8.figure8_rows(figure8.Replays(), graphs, PAPERS, 9, judges=True) == []


def test_replays_are_kept_between_runs_of_the_suite() -> None:
    replays, again = figure8.Replays(), figure8.Replays()
    replays["heap", "graphs 1 to 1"] = [[run_of(1000), run_of(990, 20)]]
    again.put_back(
        ("heap", "graphs 1 to 1"), json.loads(json.dumps(replays.data_of(("heap", "graphs 1 to 1"))))
    )
    assert again == replays


class Full(Simulator):
    def replay(self, replay, judged, learned=None):  # type: ignore[no-untyped-def]
        return [run_of(1000, failures=1 if judged.peak < 1 << 20 else 0)]


def test_graphs_that_found_no_room_are_left_out_and_told() -> None:
    notes: list[str] = []
    graphs = Graphs(Full(Path(), 4), Room.TWICE, 8, learns_elsewhere=False)
    sizes = [given.judged.peak for given in inputs(8, Room.TWICE, False)]
    found = graphs.replayed(
        bench_of(notes), "heap", lambda given: graphs.simulator.replay(None, given.judged)
    )
    assert 0 < len(found) == sum(size >= 1 << 20 for size in sizes) < 8
    assert notes == [f"heap: {8 - len(found)} of 8 graphs found no room"]


@pytest.mark.parametrize("learns", [False, True])
def test_heaps_have_twice_the_peak_or_the_clusters_memory(learns: bool) -> None:
    twice = list(inputs(16, Room.TWICE, learns))
    assert len(twice) == 16
    for given in twice:
        assert (given.learned is not None) == learns
        peak = max(given.judged.peak, given.learned.peak if given.learned else 0)
        assert 2 * peak <= given.heap_bytes < 2 * peak + 64
    cluster = list(inputs(16, Room.CLUSTER, learns))
    assert {given.heap_bytes for given in cluster} == {CLUSTER_BYTES}
    assert 0 < len(cluster) < 16
    assert all(given.judged.chunk_peak <= CLUSTER_BYTES for given in cluster)


def test_calls_are_told_beyond_one_that_does_nothing() -> None:
    assert call_cycles({"cycles": 700, "without": 200, "calls": 100}) == 5.0


def test_sizes_from_an_empty_cache_are_fewer() -> None:
    scale = full_scale((), None)
    assert all_sizes(scale, flushes=False)[:2] == [Sizes("4K", 0, 8), Sizes("4K", 100_000)]
    few = {sizes.name: sizes for sizes in all_sizes(scale, flushes=True)}
    assert (few["linear below 4K"].step, few["linear below 1M"].step) == (8, 256)
    assert few["random below 1M"].random == 4096


def test_figure_5_holds_generated_against_original_and_the_quicker_search() -> None:
    cycles = {
        "a": {"original": 20.0, "branching search": 100.0, "branchless search": 80.0, GENERATED: 19.0},
        "b": {"original": 20.0, "branching search": 60.0, "branchless search": 80.0, GENERATED: 36.0},
    }
    goals = [goal for goal in _goals("latency 4", cycles) if isinstance(goal, Goal)]
    assert [(goal.row.workload, goal.row.baseline, goal.value, goal.reached) for goal in goals] == [
        ("a", "original", 0.95, True),
        ("a", "quicker search", pytest.approx(0.2375), True),
        ("b", "original", 1.8, False),
        ("b", "quicker search", 0.6, False),
        ("best: a", "quicker search", pytest.approx(0.2375), True),
    ]


def test_bin_use() -> None:
    assert group_shares([1, 1, 2, 4], 2) == [25.0, 75.0]
    assert group_shares([0, 0], 2) == [0.0, 0.0]
    assert even_bins([5, 5, 5, 5]) == 4.0
    assert even_bins([8, 0, 0, 0]) == 1.0
    assert even_bins([0, 0]) == 0.0


class Peers(Simulator):
    """Ours takes 800 cycles and holds 100 bytes and 20 of tables; TLSF 1000 and 150; o1heap 500 and 300."""

    def replay(self, replay, judged, learned=None):  # type: ignore[no-untyped-def]
        cycles, held, tables = {
            Allocator.SHIPPED: (800, 100, 20),
            Allocator.TLSF: (1000, 150, 0),
            Allocator.O1HEAP: (500, 300, 0),
            Allocator.NEWLIB: (400, 120, 0),
            Allocator.PICOLIBC: (2000, 110, 0),
        }[replay.allocator]
        worst = cycles // 10 - (30 if replay.options else 0)
        return [replace(run_of(cycles), held=held, tables=tables, worst_release=worst)]


def test_other_heaps_are_held_against() -> None:
    graphs = Graphs(Peers(Path(), 4), Room.TWICE, 2, learns_elsewhere=False)
    found = others.other_rows(bench_of([]), graphs, judges=True)
    goals = [each for each in found if isinstance(each, Goal)]
    assert {
        (goal.row.variant, goal.row.baseline, goal.row.metric): (round(goal.value or 0, 3), goal.reached)
        for goal in goals
    } == {
        ("shipped", "TLSF", CYCLES): (0.8, True),
        ("shipped", "TLSF", others.HELD): (0.8, True),
        ("shipped", "o1heap", CYCLES): (1.6, False),
        ("shipped", "newlib", CYCLES): (2.0, False),
        ("shipped, bounded", "TLSF", CYCLES): (0.8, True),
        ("shipped, bounded", "TLSF", others.WORST): (0.5, True),
        ("shipped, bounded", "TLSF", others.HELD): (0.8, True),
        ("shipped, bounded", "o1heap", CYCLES): (1.6, False),
        ("shipped, bounded", "newlib", CYCLES): (2.0, False),
    }
    worst = {
        row.variant: row.ratio
        for row in found
        if isinstance(row, Row) and row.metric == others.WORST and row.baseline == "one"
    }
    assert worst == {
        "shipped": 80,
        "shipped, bounded": 50,
        "TLSF": 100,
        "o1heap": 50,
        "newlib": 40,
        "picolibc": 200,
    }


class Automatic(Simulator):
    """Ten runs of 100 cycles; 300 more for each rehash that is called; automatic ones take 150."""

    def replay(self, replay, judged, learned=None):  # type: ignore[no-untyped-def]
        cycles = 150 if replay.automatic else 100
        called = [replace(run_of(cycles), rehash=300 if replay.rehashes and run else 0) for run in range(10)]
        return [replace(run, automatic_rehashes=int(replay.automatic)) for run in called]


def test_automatic_rehash_is_held_against_called_rehash() -> None:
    graphs = Graphs(Automatic(Path(), 4), Room.TWICE, 2, learns_elsewhere=False)
    found = automatic.automatic_rows(bench_of([]), graphs, judges=True)
    (goal,) = (each for each in found if isinstance(each, Goal))
    assert (goal.row.variant, goal.row.baseline) == ("automatic", "called")
    assert goal.value == pytest.approx(10 * 150 / (10 * 100 + 9 * 300))
