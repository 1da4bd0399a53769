"""Which of many rows stay in the race: those that pairs have not told from the best."""

import math
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
    return [
        row
        for place, row in enumerate(rows)
        if place < fewest or min(together_by_round(training, row.name, rows[0].name, metrics), default=1) < 1
    ]


def together_by_round(training: Training, name: str, other: str, metrics: Sequence[str]) -> list[float]:
    """One row against another, a ratio for each round: the mean of the log ratios of all inputs. Each is held
    against the program as it is beside it: rows of one race have the same runs there, those of two have not,
    and the machine may have been slower in one."""
    one, two = training.results[name], training.results[other]
    logs = [
        [
            math.log(a.metric(metric) / its.metric(metric)) - math.log(b.metric(metric) / own.metric(metric))
            for a, its, b, own in zip(*runs, strict=False)
        ]
        for each in one.runs
        for metric in metrics
        for runs in [(one.runs[each], one.beside[each], two.runs[each], two.beside[each])]
        if all(run.metric(metric) for some in runs for run in some)
    ]
    rounds = min(map(len, logs), default=0)
    return [float(np.exp(np.mean([log[place] for log in logs]))) for place in range(rounds)]
