"""The model of tasks on workers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.bench.fleets.schedule import Model

NOTHING = Model(0.0, 0.0, 0.0)
TIMES = st.lists(st.floats(0.01, 10), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("model", "tasks", "workers", "seconds"),
    [
        (NOTHING, [1, 2, 3], 1, 6),
        (NOTHING, [3, 1, 1, 1], 2, 3),
        (NOTHING, [1, 1, 1, 3], 2, 4),
        (NOTHING, [1, 2], 1000, 2),
        (Model(5, 0, 0.5), [1, 2], 2, 7.5),
        (Model(0, 4, 0), [1, 2], 2, 8),
        (Model(3, 1, 1), [], 2, 3),
    ],
)
def test_known_schedules(model: Model, tasks: list[float], workers: int, seconds: float) -> None:
    assert model.seconds(tasks, workers) == pytest.approx(seconds)


@given(TIMES, st.integers(1, 50))
def test_between_the_longest_task_and_all_of_them(tasks: list[float], workers: int) -> None:
    seconds = NOTHING.seconds(tasks, workers)
    assert max(tasks) <= seconds * (1 + 1e-9)
    assert sum(tasks) / workers <= seconds * (1 + 1e-9)
    assert seconds <= sum(tasks) / workers + max(tasks) + 1e-9
