"""The workloads of the source tree, as cases to measure."""

from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure.process import Command

DEFAULT_FOLDER = Path("build/release/workloads")


@dataclass(frozen=True)
class Case:
    """A workload with an input; `phase` is the named phase that it reports.

    `label` is what the rows call the input, where that is not the text of its arguments.
    """

    workload: str
    arguments: tuple[str, ...]
    phase: str
    label: str = ""

    @property
    def input(self) -> str:
        return self.label or " ".join(self.arguments)

    @property
    def place(self) -> tuple[str, str]:
        """Workload and input, as a Row names them."""
        return self.workload, self.input

    @property
    def is_annotated(self) -> bool:
        return self.workload.endswith("_annotated")

    def annotated(self) -> "Case":
        return Case(f"{self.workload}_annotated", self.arguments, self.phase)

    def command(self, folder: Path) -> Command:
        """The command, which reports its phase. Raises CommandError where the workload is not built."""
        program = folder / self.workload.removesuffix("_annotated") / self.workload
        if not program.is_file():
            raise CommandError(
                f"there is no workload {program}",
                remedy="run 'make native' in malloom's source tree, and measure from there",
            )
        return Command([str(program.resolve()), *self.arguments], {"MALLOOM_PHASES": "1"})


def cover(side: int) -> Case:
    """A square random matrix of the thesis's density."""
    return Case("cover", (str(side), str(side)), "search_time")


def hexapawn(rows: int, columns: int) -> Case:
    return Case("hexapawn", (str(rows), str(columns)), "search_time")


def traverse(depth: int, walks: int) -> Case:
    return Case("traverse", (str(depth), str(walks)), "walk_time")
