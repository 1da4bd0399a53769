"""Programs with an input, as cases to measure: the workloads of the source tree, and others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from malloom.errors import CommandError
from malloom.measure.process import Command
from malloom.measure.rows import Place

DEFAULT_FOLDER = Path("build/release/workloads")
ANNOTATED = "_annotated"


class Folders(Protocol):
    """Where the built workloads lie, and where inputs may be written."""

    @property
    def workloads(self) -> Path: ...
    @property
    def scratch(self) -> Path: ...


class Runnable(Protocol):
    """What rows call a program and its input, and how it is started as its user would."""

    @property
    def place(self) -> Place: ...
    def command(self, folders: Folders) -> Command:
        """Raises CommandError where the program is not there."""


@dataclass(frozen=True)
class Case:
    """A workload with an input; `measure` is the name under which it reports the time of its main part.

    `label` is what the rows call the input, where that is not the text of its arguments.
    """

    workload: str
    arguments: tuple[str, ...]
    measure: str
    label: str = ""

    @property
    def input(self) -> str:
        return self.label or " ".join(self.arguments)

    @property
    def place(self) -> Place:
        return self.workload, self.input

    def __str__(self) -> str:
        return " ".join(self.place)

    @property
    def is_annotated(self) -> bool:
        return self.workload.endswith(ANNOTATED)

    def annotated(self) -> "Case":
        return Case(f"{self.workload}{ANNOTATED}", self.arguments, self.measure)

    def command(self, folders: Folders) -> Command:
        """The command, which reports what it measures itself."""
        program = folders.workloads / self.workload.removesuffix(ANNOTATED) / self.workload
        if not program.is_file():
            raise CommandError(
                f"there is no workload {program}",
                remedy="run 'make native' in malloom's source tree, and measure from there",
            )
        return Command([str(program.resolve()), *self.arguments], {"MALLOOM_PHASES": "1"})


@dataclass(frozen=True)
class OtherProgram:
    """A program that is not of the source tree; `prepare` makes its input in a folder, once, and gives its
    command line."""

    workload: str
    input: str
    prepare: Callable[[Path], tuple[str, ...]] = field(compare=False)

    @property
    def place(self) -> Place:
        return self.workload, self.input

    def __str__(self) -> str:
        return " ".join(self.place)

    def command(self, folders: Folders) -> Command:
        return Command(self.prepare(folders.scratch))


def cover(side: int) -> Case:
    """A square random matrix of the thesis's density."""
    return Case("cover", (str(side), str(side)), "search_time")


def hexapawn(rows: int, columns: int) -> Case:
    return Case("hexapawn", (str(rows), str(columns)), "search_time")


def traverse(depth: int, walks: int) -> Case:
    return Case("traverse", (str(depth), str(walks)), "walk_time")
