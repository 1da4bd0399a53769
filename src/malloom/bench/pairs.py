"""Interleaved runs: A B A B after a warm-up, so that whatever disturbs the machine disturbs both alike."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from malloom.bench.interval import Interval, median_ratio
from malloom.bench.process import Command, Run, run_measured
from malloom.errors import CommandError

FEWEST_ROUNDS = 6


@dataclass(frozen=True)
class Budget:
    """When to stop: after `most` rounds, or once `seconds` are spent or every interval is narrower than
    `width`, though never before `fewest` rounds.
    """

    fewest: int = FEWEST_ROUNDS
    most: int = 40
    seconds: float = 60.0
    width: float = 0.01


@dataclass
class Rounds:
    """The runs of each variant, one of every variant per round, in order."""

    runs: dict[str, list[Run]] = field(default_factory=dict)

    def __len__(self) -> int:
        return min((len(runs) for runs in self.runs.values()), default=0)

    def values(self, variant: str, metric: str) -> list[float]:
        return [run.metric(metric) for run in self.runs[variant]]

    def ratio(self, variant: str, baseline: str, metric: str = "cpu_time") -> Interval:
        return median_ratio(self.values(variant, metric), self.values(baseline, metric))

    def peak_ratio(self, variant: str, baseline: str) -> float:
        """Ratio of the median peak resident memories."""
        peaks = [float(np.median([run.peak_memory for run in self.runs[of]])) for of in (variant, baseline)]
        return peaks[0] / peaks[1]

    def same_output(self, variant: str, baseline: str) -> bool:
        """Whether all runs of both printed the same bytes and ended alike."""
        runs = self.runs[variant] + self.runs[baseline]
        return len({(run.output_digest, run.status) for run in runs}) == 1


def run_interleaved(
    commands: Mapping[str, Command],
    baseline: str,
    budget: Budget,
    metric: str = "cpu_time",
    progress: Callable[[str, int], None] = lambda variant, round_number: None,
) -> Rounds:
    """Runs every command once per round, after a round that is thrown away.

    Raises CommandError where a run ends unlike the first, by status or by output: the time of different work
    means nothing.
    """
    rounds = Rounds({name: [] for name in commands})
    expected: Run | None = None
    began = time.monotonic()
    for number in range(budget.most + 1):
        for name, command in commands.items():
            progress(name, number)
            run = run_measured(command)
            expected = expected or run
            _demand_same(name, run, expected)
            if number > 0:
                rounds.runs[name].append(run)
        if _is_enough(rounds, baseline, budget, metric, time.monotonic() - began):
            break
    return rounds


def describe_status(status: int) -> str:
    """A wait(2) status in words."""
    code = os.waitstatus_to_exitcode(status)
    return f"exit status {code}" if code >= 0 else f"signal {-code}"


def _demand_same(name: str, run: Run, expected: Run) -> None:
    if run.status != expected.status:
        last = run.errors.decode(errors="replace").strip().rpartition("\n")[2]
        ends = f"{describe_status(run.status)}, the first run with {describe_status(expected.status)}"
        raise CommandError(f"'{name}' ended with {ends}: {last}")
    if run.output_digest != expected.output_digest:
        raise CommandError(f"'{name}' printed something else than the first run: no times to compare")


def _is_enough(rounds: Rounds, baseline: str, budget: Budget, metric: str, spent: float) -> bool:
    if len(rounds) < budget.fewest:
        return False
    if spent >= budget.seconds:
        return True
    others = [name for name in rounds.runs if name != baseline]
    return all(rounds.ratio(name, baseline, metric).width <= budget.width for name in others)
