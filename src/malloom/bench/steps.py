"""The steps of a suite, each of which stands alone: one that fails takes nothing with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from malloom.bench.cases import Case, Runnable
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal
from malloom.errors import CommandError
from malloom.measure.equal_surroundings import Surroundings, surrounded
from malloom.measure.interleaved import Budget, Progress, RaceId, Rounds, no_progress, run_interleaved
from malloom.measure.process import Command
from malloom.measure.rows import Row
from malloom.measure.variants import Variant

Count = TypeVar("Count")
Found = Sequence[Row | Goal]
"""What a step finds."""


@dataclass(frozen=True)
class Bench:
    """Where the suite finds its workloads, keeps what it makes, and says what it does.

    `failed` is told a variant that cannot be measured, and why; the others go on. `note` is told what the
    reader of the rows should know. `step` is what is being measured: no other step of its part has the name.
    """

    workloads: Path
    scratch: Path
    say: Callable[[str], None]
    failed: Callable[[str, Exception], None]
    note: Callable[[str], None]
    progress: Progress = no_progress
    step: str = ""

    def file(self, case: Case, suffix: str) -> Path:
        return self.scratch / f"{case.workload}-{'-'.join(case.arguments)}.{suffix}"

    def race(
        self,
        program: Runnable,
        variants: Sequence[Variant],
        baseline: str,
        budget: Budget,
        metric: str = "cpu_time",
        controls: Sequence[str] = (),
    ) -> Rounds:
        """Interleaved runs of the program in every way that can be had; those of the baseline, and of the
        controls, with which tables compare as well, twice."""
        commands = self.commands_of(program, variants)
        return self.race_of(str(program), commands, baseline, budget, metric, controls)

    def race_of(
        self,
        what: str,
        commands: Mapping[str, Command],
        baseline: str,
        budget: Budget,
        metric: str = "cpu_time",
        controls: Sequence[str] = (),
    ) -> Rounds:
        """The same of commands by name, which may be different programs that do the same."""
        if baseline not in commands:
            raise CommandError(f"'{baseline}', which all is compared with, cannot be run")
        self.say(f"measuring {what}: {', '.join(commands)}")
        twice = (baseline, *controls)
        rounds = run_interleaved(
            commands, baseline, budget, metric, self.progress, self.failed, controls=twice
        )
        return replace(rounds, race=RaceId(self._name_of_race(what), baseline))

    def _name_of_race(self, what: str) -> str:
        """The step's, which no other has; with what is raced where the step's does not begin so."""
        if self.step.startswith(what):
            return self.step
        return f"{self.step}: {what}" if self.step else what

    def commands_of(self, program: Runnable, variants: Sequence[Variant]) -> dict[str, Command]:
        """The program's command in every way that there is; `failed` is told of the others."""
        plain, commands = program.command(self), {}
        for variant in variants:
            try:
                commands[variant.name] = variant.of(plain)
            except CommandError as error:
                self.failed(variant.name, error)
        return commands

    def counted(
        self, what: str, commands: Mapping[str, Command], count: Callable[[Command], Count]
    ) -> dict[str, Count]:
        """What a count that every run repeats says of each command; `failed` is told of those that cannot be
        counted."""
        counts = {}
        surroundings = Surroundings.of_all(commands.values()) if commands else None
        for name, command in commands.items():
            self.say(f"counting {what}: {name}")
            try:
                counts[name] = count(surrounded(command, surroundings) if surroundings else command)
            except CommandError as error:
                self.failed(name, error)
        return counts


@dataclass(frozen=True)
class Step:
    """Something to measure, and what it is called where it fails.

    `seconds` is how long it is thought to take; 0 where nobody thought. One that `concludes` is made by
    `conclusion`. `last_level` is of the machine that the sizes of inputs are told by, where that is not the
    suite's. `memory` and `disk` are the bytes that it needs: where they are not there, it is left out.
    `gathers` is what it adds to for the steps after it, its conclusion among them.
    """

    part: str
    what: str
    measure: Callable[[Bench], Found]
    seconds: float = 0.0
    concludes: bool = False
    last_level: int = 0
    memory: int = 0
    disk: int = 0
    gathers: Gathered[Any] | None = None


def conclusion(part: str, what: str, compute: Callable[[], Found]) -> Step:
    """A step that only computes from what the steps before it measured, and does so after an interrupt
    too."""
    return Step(part, what, lambda _bench: compute(), concludes=True)
