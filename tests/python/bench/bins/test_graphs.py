"""Task graphs: forks and joins are nested, sizes are what the cell says, and each graph is drawn the same."""

from collections import Counter

import numpy as np
import pytest

from malloom.bench.bins.graphs import (
    GRID,
    LEAST_BYTES,
    Cell,
    Sizes,
    Successors,
    cell_of,
    fork_join,
    generator,
    predecessors_of,
    sizes_of,
)

TASKS = 512
MANY = 20_000


@pytest.mark.parametrize("tasks", [1, 2, 3, 4, 5, 9, 10, 100, TASKS])
@pytest.mark.parametrize("seed", range(5))
def test_a_graph_has_as_many_tasks_as_asked_and_one_first_and_one_last(tasks: int, seed: int) -> None:
    successors = fork_join(tasks, generator(seed, tasks))
    assert len(successors) == tasks
    assert [task for task, those in enumerate(predecessors_of(successors)) if not those] == [0]
    assert len([task for task, those in enumerate(successors) if not those]) == 1


def ends_at(successors: Successors, task: int) -> int:
    """Where the part of the graph that begins with the task ends: goes from each fork to its join by going
    down all of its branches. Fails where they do not meet, or a join has others before it."""
    before = predecessors_of(successors)
    while len(successors[task]) != 0:
        branches = successors[task]
        if len(branches) == 1:
            if len(before[branches[0]]) > 1:
                return task
            task = branches[0]
            continue
        assert 2 <= len(branches) <= 8
        ends = [ends_at(successors, branch) for branch in branches]
        joins = {tuple(successors[end]) for end in ends}
        assert len(joins) == 1
        (join,) = joins.pop()
        assert sorted(before[join]) == sorted(ends)
        task = join
    return task


@pytest.mark.parametrize("seed", range(20))
def test_forks_of_two_to_eight_branches_are_nested(seed: int) -> None:
    successors = fork_join(TASKS, generator(seed, 0))
    last = ends_at(successors, 0)
    assert successors[last] == []
    assert {len(those) for those in successors} >= {0, 1, 2, 8}


def test_the_same_seed_draws_the_same_graph_and_another_one_another() -> None:
    graphs = [fork_join(TASKS, generator(*each)) for each in ((3, 1), (3, 1), (3, 2), (4, 1))]
    assert graphs[0] == graphs[1]
    assert graphs[0] not in graphs[2:]
    assert graphs[2] != graphs[3]


@pytest.mark.parametrize("sizes", Sizes)
@pytest.mark.parametrize("maximum", [256, 32768])
def test_sizes_are_drawn_as_the_cell_says(sizes: Sizes, maximum: int) -> None:
    drawn = sizes_of(Cell(16, sizes, maximum), MANY, generator(1, 1))
    least = {Sizes.LOG_UNIFORM: LEAST_BYTES, Sizes.NARROW: maximum * 7 // 8}.get(sizes, 1)
    assert len(drawn) == MANY
    assert least <= drawn.min()
    assert drawn.max() <= maximum
    if sizes is Sizes.FIVE:
        assert len(set(drawn.tolist())) == 5
        return
    assert drawn.max() > 0.99 * maximum
    middle = {
        Sizes.UNIFORM: maximum / 2,
        Sizes.LOG_UNIFORM: (LEAST_BYTES * maximum) ** 0.5,
        Sizes.NARROW: maximum * 15 / 16,
    }
    assert float(np.median(drawn)) == pytest.approx(middle[sizes], rel=0.05)


def test_graphs_lie_evenly_over_the_grid() -> None:
    counts = Counter(cell_of(number) for number in range(1000))
    assert set(counts) == set(GRID)
    assert set(counts.values()) == {7, 8}
    few = [cell_of(number) for number in range(16)]
    assert {cell.workers for cell in few} == {16, 64, 256, 1024}
    assert {cell.sizes for cell in few} == set(Sizes)
    assert len({cell.maximum for cell in few}) == 8
