"""Which of many rows stay in the race: those that pairs have not told from the best."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from malloom.optimize.training import Row, Training

T = TypeVar("T", bound=Row)


def contenders(training: Training, rows: Sequence[T], metrics: Sequence[str], fewest: int) -> list[T]:
    """Of rows, best first: so many at least, and all that beat the first one in some round.

    Where two rows are equal, one is behind in each of three rounds in an eighth of all cases, and in each of
    six in a sixty-fourth: what was unlucky stays, what is slower goes.
    """
    first, others = rows[:1], rows[1:]
    return [
        row
        for place, row in enumerate([*first, *others])
        if place < fewest or min(together_by_round(training, row.name, first[0].name, metrics), default=1) < 1
    ]


def together_by_round(training: Training, name: str, other: str, metrics: Sequence[str]) -> list[float]:
    """One row against another, a ratio for each round: the mean of the log ratios of all inputs."""
    one, two = training.results[name].runs, training.results[other].runs
    logs = [
        [
            np.log(a.metric(metric)) - np.log(b.metric(metric))
            for a, b in zip(one[each], two[each], strict=False)
        ]
        for each in one
        for metric in metrics
        if all(run.metric(metric) for run in (*one[each], *two[each]))
    ]
    rounds = min(map(len, logs), default=0)
    return [float(np.exp(np.mean([log[place] for log in logs]))) for place in range(rounds)]
