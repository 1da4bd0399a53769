"""Other builds of the run time, made of the sources' history: a former commit, and one without checks."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.process import Command, ended, last_line
from malloom.measure.variants import Variant, of_binary, pools

SCRIPT = Path("setup/build_at.sh")
LONGEST = 1800.0
"""Seconds that a build may take."""
BEFORE, UNCHECKED = "before", "unchecked"
"""The variants that these builds are: a former commit, and the commit at hand without checks of misuse."""
WITHOUT_CHECKS = "MALLOOM_UNCHECKED"
"""The build option that leaves the checks out."""
COMPILED = ("CMakeLists.txt", "cmake", "formats", "runtime")


@dataclass(frozen=True)
class Build:
    """A folder that CMake has built in."""

    folder: Path

    @property
    def workloads(self) -> Path:
        return self.folder / "workloads"

    def pools(self, name: str) -> Variant:
        """`malloom run --heap pools` with the build's run time."""
        library = self.folder / "runtime/front/libmalloom.so"
        if not library.is_file():
            raise CommandError(f"there is no {library}", remedy=f"remove {self.folder.parent} and try again")
        mine = {"LD_PRELOAD": str(library)}
        return Variant(name, lambda program: pools().of(program).with_environment(mine))

    def program(self, name: str) -> Variant:
        """The build's own binary of a workload."""

        def of_build(program: Command) -> Command:
            at_hand = Path(program.arguments[0])
            return of_binary(name, self.workloads / at_hand.parent.name / at_hand.name).of(program)

        return Variant(name, of_build)


@dataclass(frozen=True)
class Builds:
    """What the suite compares with, built once and kept; `against` is the former commit."""

    against: str

    def of(self, bench: Bench, name: str) -> Build:
        """Raises CommandError where there is no such build to be had."""
        if name == BEFORE:
            return built(bench, self.against)
        return built(bench, "HEAD", WITHOUT_CHECKS)

    def there(self, bench: Bench, *names: str) -> Mapping[str, Build]:
        """Those that can be had; `bench.failed` is told of the others."""
        found = {}
        for name in names:
            try:
                found[name] = self.of(bench, name)
            except CommandError as error:
                bench.failed(name, error)
        return found


def built(bench: Bench, commit: str, *options: str) -> Build:
    """A commit's run time with build options, which is made once. Raises CommandError where it cannot be."""
    tree = bench.workloads.resolve().parents[2]
    if not (tree / SCRIPT).is_file() or not (tree / ".git").exists():
        raise CommandError(
            f"{tree} has no history of malloom's sources to build another commit of",
            remedy="measure in a clone of its repository, with --workloads build/release/workloads",
        )
    if commit == "HEAD" and _has_changes(tree):
        bench.note("the sources have changes that are not committed, and the other build is without them")
    bench.say(f"building {' '.join((commit, *options))}, unless that was done before")
    return Build(Path(_last_line_of(Command([str(tree / SCRIPT), commit, *options]).limited(LONGEST))))


def _has_changes(tree: Path) -> bool:
    command = ["git", "-C", str(tree), "status", "--porcelain", "--", *COMPILED]
    return bool(subprocess.run(command, check=True, capture_output=True).stdout)


def _last_line_of(command: Command) -> str:
    """Of standard output; raises CommandError with the last one of standard error where the command fails."""
    with ended(command) as run:
        if run.status != 0:
            why = last_line(run.errors.read())
            raise CommandError(why.removeprefix("malloom: ") or f"{command.arguments[0]} failed")
        return last_line(run.output.read())
