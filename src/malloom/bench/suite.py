"""A suite: what it offers, and what it was asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from malloom.bench.findings import Findings
from malloom.bench.pictures import Picture
from malloom.bench.steps import Step
from malloom.bench.tables import Shown, Table, all_shown
from malloom.errors import CommandError, UsageProblem


def _nothing_is_missing(_workloads: Path) -> None:
    """Of a suite that needs nothing but the workloads."""


@dataclass(frozen=True)
class Prepared:
    """A suite as it was asked for: the steps of each part, and what its findings are shown in.

    `last_level` is the size of the cache, in bytes, that inputs are sized by. `facts` stand beside what was
    measured on. `check` is given the workloads' folder, and raises CommandError where something is missing
    without which no step can be measured.
    """

    steps: Mapping[str, Callable[[], Sequence[Step]]]
    tables: Sequence[Table]
    last_level: int = 0
    facts: Sequence[tuple[str, str]] = ()
    check: Callable[[Path], None] = _nothing_is_missing
    pictures: Sequence[Picture] = ()

    def steps_of(self, parts: Sequence[str]) -> list[Step]:
        """In the order of the parts."""
        return [step for part in parts for step in self.steps[part]()]

    def shown(self, findings: Findings) -> list[Shown]:
        return all_shown(self.tables, findings, self.facts)


@dataclass(frozen=True)
class Suite:
    """What `malloom bench` measures by the name of the folder that this stands in, as SUITE in suite.py.

    `parts` are its parts with what each measures, `groups` names for several of them. `prepare` is called
    with `quick`, and with the options that its other parameters declare, as a command of Typer does.
    `choosing` are those of its options that only choose steps, and change none.
    `problem` is why there is nothing to measure, where the folder's module cannot be loaded.
    """

    summary: str
    parts: Mapping[str, str]
    prepare: Callable[..., Prepared]
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    choosing: Sequence[str] = ()
    problem: CommandError | None = None

    def chosen_parts(self, names: Sequence[str]) -> list[str]:
        """Parts by their names or their groups' names; all where none is named. Raises UsageProblem."""
        if not names:
            return list(self.parts)
        known = {**{part: (part,) for part in self.parts}, **self.groups}
        for name in names:
            if name not in known:
                choice = ", ".join([*self.groups, *self.parts])
                raise UsageProblem(f"the suite has no part '{name}'", remedy=f"choose of {choice}")
        wanted = {part for name in names for part in known[name]}
        return [part for part in self.parts if part in wanted]
