"""Races of the same rows on each training input, and what they say of a row on all inputs together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from malloom.errors import CommandError
from malloom.measure.interleaved import Progress, Race, no_progress
from malloom.measure.process import Command, Run

AS_IT_IS = "as it is"
"""The program as its user runs it: what every row is held against."""


NO_TIME = "no time"
"""How the reason begins why a row was not run at all."""


class Row(Protocol):
    """One way to run the program."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """`setting` for what malloom only chooses, else what it has made of the program."""

    @property
    def executable(self) -> Path | None:
        """The file that runs in the program's place; None: the program itself."""

    @property
    def environment(self) -> Mapping[str, str]: ...


def command_of(row: Row, plain: Command) -> Command:
    """A command of the program as it is, run as a row has it."""
    added = plain.with_environment(row.environment)
    if row.executable is None:
        return added
    return replace(added, arguments=[str(row.executable), *plain.arguments[1:]])


@dataclass(frozen=True)
class Measured:
    """The runs of a row and those of the program as it is beside them, by input."""

    runs: Mapping[str, Sequence[Run]]
    beside: Mapping[str, Sequence[Run]]

    def ratios(self, metric: str) -> dict[str, float]:
        """By input, the median of the pairs' ratios. Raises CommandError where the program has nothing of
        what was measured."""
        return {name: self._ratio(name, metric) for name in self.runs}

    @property
    def is_whole(self) -> bool:
        """Whether it ran so often that more is known than of one lucky run."""
        return min(map(len, self.runs.values()), default=0) >= FEWEST_ROUNDS

    def peaks(self) -> list[float]:
        """By input, the median peak memory of the row's runs, in bytes."""
        return [float(np.median([run.peak_memory for run in runs])) for runs in self.runs.values()]

    def mean(self, metric: str) -> float:
        """Over the inputs, which weigh alike: the mean of log ratios."""
        return math.exp(float(np.mean([math.log(ratio) for ratio in self.ratios(metric).values()])))

    def _ratio(self, name: str, metric: str) -> float:
        own = [run.metric(metric) for run in self.beside[name]]
        if not all(own):
            raise CommandError("the program has 0 of what is measured", remedy="measure a longer run")
        pairs = zip(self.runs[name], own, strict=True)
        return max(float(np.median([run.metric(metric) / base for run, base in pairs])), SMALLEST)


FEWEST_ROUNDS = 3
"""Of each row. With fewer the first run, a cold one, would count."""
FAR_BEHIND, LONG = 3.0, 0.5
"""A row that takes so many times the program's CPU time in the mean over the inputs, and so many seconds
more, runs no further round: nothing that follows makes it the best."""
PATIENCE = 4
"""A row's run is given up after so small a part of what a run of the program as it is may take: a row is one
of many, and an allocator that hangs a program does so in each of its ways."""
SMALLEST = 1e-6
"""A ratio: that of a row without CPU time, as a program of milliseconds may have none, has no logarithm."""


@dataclass
class Training:
    """A race on each input. `results` has what was last measured of each row, `left` why others are not.

    A row that fails on one input leaves all.
    """

    races: dict[str, Race]
    results: dict[str, Measured] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    @classmethod
    def on(
        cls, commands: Mapping[str, Command], progress: Progress = no_progress, compare_output: bool = True
    ) -> "Training":
        """Races of the program as it is alone, each warmed up."""
        races = {
            name: Race({AS_IT_IS: command}, progress, compare_output=compare_output)
            for name, command in commands.items()
        }
        for race in races.values():
            race.warm_up(AS_IT_IS)
        return cls(races)

    def enter(self, rows: Sequence[Row]) -> None:
        """Rows that may run from now on. Without a run that is thrown away: of three a cold one does not
        matter, and there are many rows."""
        for row in rows:
            for race in self.races.values():
                command = command_of(row, race.commands[AS_IT_IS])
                race.add(row.name, command.limited(command.time_limit / PATIENCE))

    def run(self, names: Sequence[str], rounds: int, anew: bool = True) -> None:
        """So many rounds of those named and of the program as it is. Their results replace earlier ones, or
        join those of the last call, where all of these rows ran too."""
        for race in self.races.values():
            if anew:
                race.restart()
        try:
            for _ in range(rounds):
                going_on = [name for name in self._there(names) if not self._is_far_behind(name)]
                for race in self.races.values():
                    race.run([AS_IT_IS, *(name for name in going_on if name not in self.left)])
        finally:
            self._take_in(names)

    def _is_far_behind(self, name: str) -> bool:
        """By its first run on each input; not while one is to come."""
        pairs = [(race.rounds.runs.get(name), race.rounds.runs[AS_IT_IS]) for race in self.races.values()]
        times = [(own[0].cpu_time, base[0].cpu_time) for own, base in pairs if own and base]
        if len(times) < len(pairs):
            return False
        logs = [math.log(max(own, SMALLEST) / max(base, SMALLEST)) for own, base in times]
        return math.exp(float(np.mean(logs))) > FAR_BEHIND and sum(own - base for own, base in times) > LONG

    def _there(self, names: Sequence[str]) -> list[str]:
        """Those that have failed in no race; others leave all."""
        for race in self.races.values():
            for name in [name for name in names if name in race.left and name not in self.left]:
                self._leave(name, str(race.left[name]))
        return [name for name in names if name not in self.left]

    def _take_in(self, names: Sequence[str]) -> None:
        """What was measured, as far as every input has a run; after an interrupt that may be less."""
        for name in self._there(names):
            of = {each: race.rounds.runs.get(name, []) for each, race in self.races.items()}
            own = {each: race.rounds.runs[AS_IT_IS] for each, race in self.races.items()}
            pairs = {each: min(len(of[each]), len(own[each])) for each in of}
            if all(pairs.values()):
                self.results[name] = Measured(
                    {each: of[each][: pairs[each]] for each in of},
                    {each: own[each][: pairs[each]] for each in of},
                )

    def _leave(self, name: str, why: str) -> None:
        self.left[name] = why
        self.results.pop(name, None)
        for race in self.races.values():
            race.leave(name)
