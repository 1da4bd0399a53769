"""What tasks do to their buffers: when each is allocated and released, with any number of workers."""

import numpy as np
import pytest

from malloom.bench.bins.graphs import Successors, fork_join, generator, predecessors_of
from malloom.bench.bins.schedule import Event, events_of, graph_operations, operation_list

TASKS = 512


def drawn(seed: int, workers: int) -> tuple[Successors, np.ndarray, list[Event]]:
    random = generator(seed, 0)
    successors = fork_join(TASKS, random)
    seconds = random.random(TASKS)
    return successors, seconds, events_of(successors, workers, seconds)


@pytest.mark.parametrize("workers", [1, 16, 64, 256, 1024])
@pytest.mark.parametrize("seed", range(5))
def test_a_buffer_lives_until_all_successors_have_started(seed: int, workers: int) -> None:
    successors, _, events = drawn(seed, workers)
    started: set[int] = set()
    released: set[int] = set()
    for event in events:
        if event.is_allocation:
            assert event.task not in started
            assert all(before in started for before in predecessors_of(successors)[event.task])
            started.add(event.task)
        else:
            assert event.task in started - released
            assert set(successors[event.task]) <= started
            released.add(event.task)
    assert started == released == set(range(TASKS))


@pytest.mark.parametrize("seed", range(3))
def test_a_buffer_is_released_as_soon_as_the_last_successor_has_started(seed: int) -> None:
    successors, _, events = drawn(seed, 16)
    started: set[int] = set()
    due: set[int] = set()
    for event in events:
        if event.is_allocation:
            assert not due, "what was due was not released before the next start"
            started.add(event.task)
            before = predecessors_of(successors)[event.task]
            due = {task for task in before if set(successors[task]) <= started}
        elif successors[event.task]:
            due.remove(event.task)


def test_one_worker_runs_one_task_after_the_other() -> None:
    """So a fork's buffer waits for the last of its branches."""
    fork = [[1, 2], [3], [3], []]
    seconds = np.asarray([1.0, 5.0, 1.0, 1.0])
    alone = [(event.task, event.is_allocation) for event in events_of(fork, 1, seconds)]
    assert alone == [
        (0, True), (1, True), (2, True), (0, False), (3, True), (1, False), (2, False), (3, False),
    ]  # fmt: skip


def test_on_another_worker_a_quick_branch_overtakes() -> None:
    branches = [[1, 2], [3], [4], [5], [5], []]
    seconds = np.asarray([1.0, 5.0, 1.0, 1.0, 1.0, 1.0])
    orders = {
        workers: [event.task for event in events_of(branches, workers, seconds) if event.is_allocation]
        for workers in (1, 2, 16)
    }
    assert orders == {1: [0, 1, 2, 3, 4, 5], 2: [0, 1, 2, 4, 3, 5], 16: [0, 1, 2, 4, 3, 5]}


def test_slots_are_used_again() -> None:
    events = [
        Event(0, True),
        Event(1, True),
        Event(0, False),
        Event(2, True),
        Event(1, False),
        Event(2, False),
    ]
    operations = operation_list(events, np.asarray([10, 20, 30]))
    assert operations.slots.tolist() == [0, 1, 0, 0, 1, 0]
    assert operations.changes.tolist() == [10, 20, -10, 30, -20, -30]
    assert (operations.pairs, operations.slot_count, operations.peak) == (3, 2, 50)


@pytest.mark.parametrize("number", [0, 1, 77, 999])
def test_a_graph_of_the_workload_is_the_same_each_time(number: int) -> None:
    once, again, other = (graph_operations(seed, number) for seed in (1, 1, 2))
    assert np.array_equal(once.slots, again.slots)
    assert np.array_equal(once.changes, again.changes)
    assert len(once) == len(other) == 2 * TASKS
    assert not np.array_equal(once.changes, other.changes)


def test_more_workers_have_more_buffers_at_once() -> None:
    """Over some graphs: one alone may differ."""

    def most_at_once(seed: int, workers: int) -> int:
        changes = [1 if event.is_allocation else -1 for event in drawn(seed, workers)[2]]
        return int(np.cumsum(changes).max())

    live = {workers: sum(most_at_once(seed, workers) for seed in range(8)) for workers in (1, 1024)}
    assert live[1] < live[1024]
