"""Interleaved runs: A B B A after a warm-up, so that whatever disturbs the machine disturbs both alike."""

import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from malloom.errors import CommandError
from malloom.measure.equal_surroundings import Surroundings, surrounded
from malloom.measure.interval import FEWEST_PAIRS, Interval, beyond_coverage, median_ratio
from malloom.measure.process import Command, Run, last_words, run_measured

Progress = Callable[[str, int], None]
"""Called before each run with the variant's name and the round, 0 being the warm-up."""


def no_progress(_variant: str, _round: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Budget:
    """When to stop: after `most` rounds, or once `seconds` are spent, or after so many rounds as the first
    `fewest` show to be needed for intervals of `width`, though never before these.

    The number is settled once: who looks again and again until an interval is narrow stops at a lucky moment,
    and the interval then holds the median less often than it says.
    """

    fewest: int = FEWEST_PAIRS
    most: int = 40
    seconds: float = 60.0
    width: float = 0.01


@dataclass(frozen=True)
class RaceId:
    """Which race something is of: its name, which no other race beside it has, and what all in it is compared
    with. The same program with the same input may be in several."""

    name: str
    baseline: str


@dataclass
class Rounds:
    """The runs of each variant, one of every variant per round, in order; and which race they are of, where
    that is told."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    race: RaceId | None = None

    @property
    def races(self) -> tuple[RaceId, ...]:
        return (self.race,) if self.race else ()

    def __len__(self) -> int:
        return min((len(runs) for runs in self.runs.values()), default=0)

    def values(self, variant: str, metric: str) -> list[float]:
        return [run.metric(metric) for run in self.of(variant)]

    def of(self, variant: str) -> list[Run]:
        """Raises CommandError for a variant that left the race."""
        if not self.runs.get(variant):
            raise CommandError(f"'{variant}' was not measured")
        return self.runs[variant]

    def ratio(self, variant: str, baseline: str, metric: str = "cpu_time") -> Interval:
        return median_ratio(self.values(variant, metric), self.values(baseline, metric))

    def pair_ratios(self, variant: str, baseline: str, metric: str = "cpu_time") -> list[float]:
        """What each pair of runs says by itself."""
        pairs = zip(self.values(variant, metric), self.values(baseline, metric), strict=True)
        return [value / base for value, base in pairs]

    def peak_ratio(self, variant: str, baseline: str) -> float:
        return self.peak_memory(variant) / self.peak_memory(baseline)

    def peak_memory(self, variant: str) -> float:
        """The median peak resident memory, in bytes."""
        return float(np.median([run.peak_memory for run in self.of(variant)]))


class Race:
    """Commands whose runs are interleaved: every round runs each of those asked for once, in a shuffled order
    and then in its reverse, so that none of them always runs in another's wake.

    All run in environments of equal length, and in memory that was made ready: as much as the largest of them
    needed so far. A run that ends unlike the first, by status or by output, raises
    CommandError: the time of different work means nothing. With `compare_output` off the output may differ;
    with `demand_success` the status is 0. With a `pause`, in seconds, before each run memory is as the pause
    leaves it.
    """

    def __init__(
        self,
        commands: Mapping[str, Command],
        progress: Progress = no_progress,
        *,
        baseline: str = "",
        compare_output: bool = True,
        demand_success: bool = False,
        pause: float = 0.0,
    ) -> None:
        self.commands = dict(commands)
        self._baseline = baseline or next(iter(commands), "")
        self._surroundings: Surroundings | None = None
        self.rounds = Rounds({name: [] for name in commands})
        self._progress = progress
        self._compare_output = compare_output
        self._demand_success = demand_success
        self._expected: Run | None = None
        self._most_memory = 0
        self._pause = pause
        self.left: dict[str, CommandError] = {}
        """Commands that failed when they had entered, and why."""

    def warm_up(self, baseline: str) -> dict[str, CommandError]:
        """Runs every command once, the baseline first, and throws the times away.

        A command that fails leaves the race; the answer tells why, by name. The baseline's failure is raised.
        """
        failed = {}
        for name in sorted(self.commands, key=lambda each: each != baseline):
            try:
                run = self._run(name, 0)
                if self._demand_success and run.status != 0:
                    raise CommandError(
                        f"'{name}' ended with {describe_status(run.status)}: {last_words(run)}"
                    )
            except CommandError as error:
                if name == baseline:
                    raise
                failed[name] = error
        self.commands = {name: each for name, each in self.commands.items() if name not in failed}
        self.restart()
        return failed

    def add(self, name: str, command: Command) -> None:
        """One more command, which has not run yet.

        Times so far are forgotten: the surroundings of all may be others from now on.
        """
        self.commands[name] = command
        self._surroundings = None
        self.restart()

    def enter(self, name: str, command: Command) -> None:
        """The same, warmed up. Raises CommandError, and leaves it out, where it fails."""
        self.add(name, command)
        try:
            self._run(name, 0)
        except CommandError:
            del self.commands[name]
            raise
        self.rounds.runs[name] = []

    def run(self, names: Sequence[str]) -> None:
        """One round of the commands named, in the order that is due after the first one's number of runs.

        One that fails leaves the race, and `left` says why; the first that entered is the baseline, whose
        failure is raised.
        """
        there = [name for name in names if name in self.commands]
        for name in _order(there, len(self.rounds.runs[there[0]]) if there else 0):
            self._run_or_leave(name)

    def _run_or_leave(self, name: str) -> None:
        """One more run; a command that fails leaves the race with all its runs, unless it is the baseline."""
        runs = self.rounds.runs[name]
        try:
            runs.append(self._run(name, len(runs) + 1))
        except CommandError as error:
            if name == self._baseline:
                raise
            self.left[name] = error
            self.leave(name)

    def leave(self, name: str) -> None:
        """Takes a command out, with all its runs, if it is there."""
        self.commands.pop(name, None)
        self.rounds.runs.pop(name, None)

    def restart(self) -> None:
        """Forgets the times so far, and keeps what the output must be."""
        self.rounds = Rounds({name: [] for name in self.commands})

    def run_until_enough(self, names: Sequence[str], baseline: str, budget: Budget, metric: str) -> None:
        """Rounds of the commands named until the budget says stop."""
        began, rounds = time.monotonic(), budget.most
        number = 0
        while number < rounds:
            self.run(names)
            number += 1
            if number == budget.fewest:
                rounds = self._rounds_needed(names, baseline, budget, metric)
            if number >= budget.fewest and time.monotonic() - began >= budget.seconds:
                break

    def _rounds_needed(self, names: Sequence[str], baseline: str, budget: Budget, metric: str) -> int:
        """By the widest interval so far: its width goes down as the square root of the number of rounds,
        apart from what it is too wide by with few of them."""
        others = [name for name in names if name != baseline and name in self.commands]
        widths = [self.rounds.ratio(name, baseline, metric).width for name in others]
        widest = max(widths, default=0.0) / beyond_coverage(budget.fewest)
        needed = budget.fewest * (widest / budget.width) ** 2 if budget.width else math.inf
        return max(budget.fewest, math.ceil(min(needed, budget.most)))

    def _run(self, name: str, number: int) -> Run:
        self._progress(name, number)
        self._surroundings = self._surroundings or Surroundings.of_all(self.commands.values())
        time.sleep(self._pause)
        ready = 0 if self._pause else self._most_memory
        run = run_measured(surrounded(self.commands[name], self._surroundings), ready)
        self._most_memory = max(self._most_memory, run.peak_memory)
        self._expected = self._expected or run
        _demand_same(name, run, self._expected, self._compare_output)
        return run


def run_interleaved(
    commands: Mapping[str, Command],
    baseline: str,
    budget: Budget,
    metric: str = "cpu_time",
    progress: Progress = no_progress,
    failed: Callable[[str, CommandError], None] | None = None,
    *,
    controls: Sequence[str] = (),
) -> Rounds:
    """Runs every command once per round, after a round that is thrown away, until the budget says stop.

    A command that fails, by its exit status or by other output, is told to `failed`, and the others go on;
    without `failed` its error is raised. The `controls` run twice, the second time as `again(name)`: what
    those two differ by, nothing has caused.
    """
    control = {again(name): commands[name] for name in controls if name in commands}
    race = Race({**commands, **control}, progress, baseline=baseline, demand_success=True)
    race.left |= race.warm_up(baseline)
    race.run_until_enough(list(race.commands), baseline, budget, metric)
    for name, error in race.left.items():
        if failed is None:
            raise error
        failed(name, error)
    return race.rounds


def again(baseline: str) -> str:
    """The name under which a baseline runs a second time."""
    return f"{baseline} again"


def describe_status(status: int) -> str:
    """A wait(2) status in words."""
    code = os.waitstatus_to_exitcode(status)
    return f"exit status {code}" if code >= 0 else f"signal {-code}"


def _order(names: Sequence[str], rounds: int) -> list[str]:
    """The names as the next round runs them: after an even number of rounds a new order, then its reverse.

    Two keep their order, A B B A: shuffled they would alternate less often.
    """
    order = list(names) if len(names) < 3 else random.Random(rounds // 2).sample(names, len(names))
    return order[::-1] if rounds % 2 else order


def _demand_same(name: str, run: Run, expected: Run, compare_output: bool) -> None:
    if run.status != expected.status:
        ends = f"{describe_status(run.status)}, the first run with {describe_status(expected.status)}"
        raise CommandError(f"'{name}' ended with {ends}: {last_words(run)}")
    if compare_output and run.output_digest != expected.output_digest:
        raise CommandError(f"'{name}' printed something else than the first run: no times to compare")
