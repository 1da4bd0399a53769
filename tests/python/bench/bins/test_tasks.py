"""Graphs as tasks on several cores: their file, and what is said of a run."""

from dataclasses import replace

import numpy as np
import pytest

from malloom.bench.bins.cores import graph_of, right
from malloom.bench.bins.graphs import predecessors_of
from malloom.bench.bins.inputs import JUDGED_SEED
from malloom.bench.bins.schedule import graph_operations
from malloom.bench.bins.tasks import MAGIC, PEAKS, VERSION, Cores, Heaps, TaskRun, heap_bytes_for, to_file
from malloom.errors import CommandError

GRAPH = graph_of(0)
HEAD, TASK = 7, 6
"""Words."""


def test_a_graph_is_told_by_its_tasks_and_what_comes_before_and_after_each() -> None:
    words = np.frombuffer(to_file(GRAPH, Heaps.EACH, 4096, 1000, fills=True), "<u4").tolist()
    tasks, edges = words[5:HEAD]
    assert words[:HEAD] == [MAGIC, VERSION, Heaps.EACH, 4096, 1, len(GRAPH.sizes), edges]
    assert len(words) == HEAD + TASK * tasks + 2 * edges
    lists = words[HEAD + TASK * tasks :]
    before = predecessors_of(GRAPH.successors)
    for number in range(tasks):
        bytes_of, cycles, first, count, first_before, count_before = words[HEAD + TASK * number :][:TASK]
        assert (bytes_of, cycles) == (GRAPH.sizes[number], int(GRAPH.seconds[number] * 1000))
        assert lists[first : first + count] == list(GRAPH.successors[number])
        assert lists[edges + first_before :][:count_before] == before[number]


def test_the_graphs_are_those_of_the_other_parts() -> None:
    assert sorted(GRAPH.sizes) == sorted(
        size for size in graph_operations(JUDGED_SEED, 0).changes if size > 0
    )


@pytest.mark.parametrize("cores", [1, 16])
def test_the_heaps_have_room_for_what_so_many_cores_ask_for(cores: int) -> None:
    heap_bytes = heap_bytes_for(GRAPH, cores)
    assert 0 <= heap_bytes - PEAKS * GRAPH.operations(cores).peak < 64
    assert heap_bytes % 64 == 0


def test_cores_are_named_and_asked_for() -> None:
    assert [Cores(1, 4).name, Cores(4, 20).name, Cores(16, 4, 8).name] == [
        "1 core",
        "4 cores",
        "16 cores, 8 banks",
    ]
    options = Cores(4, 20, 2).options(4096)
    assert dict(zip(options[::2], options[1::2], strict=True)) == {
        "--cores": "4",
        "--shared": "4096",
        "--shared-latency": "20",
        "--shared-banks": "2",
    }


RUN = TaskRun(
    cores=4,
    cycles=1000,
    calls=400,
    worst=200,
    pairs=2,
    released=2,
    foreign=1,
    overflows=0,
    failures=0,
    wrong=0,
    rehashes=0,
    elsewhere=0,
    living=0,
    damaged=0,
)


def test_a_run_is_right_where_nothing_was_lost_or_overwritten() -> None:
    assert right(RUN) is RUN
    assert RUN.pair_cycles == 200
    assert right(replace(RUN, failures=1, released=1)).failures == 1


@pytest.mark.parametrize("change", [{"wrong": 1}, {"living": 1}, {"damaged": 1}, {"released": 1}])
def test_a_run_that_lost_or_overwrote_something_is_an_error(change: dict[str, int]) -> None:
    with pytest.raises(CommandError, match="not as they should be"):
        right(replace(RUN, **change))
