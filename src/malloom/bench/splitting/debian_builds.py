"""Clean builds of Debian's programs, measured: with link-time optimisation, and by malloom's compiler. Beside
them the control's build, which is not measured."""

import math
import shlex
import shutil
import tarfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench.debian_sources import unpack
from malloom.bench.splitting.compilers import CLANG, CONTROL, DEFAULT, LINKER, LTO, Toolchain
from malloom.bench.splitting.debian_programs import SourceProgram
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interleaved import RaceId, Rounds, again, describe_status
from malloom.measure.process import Command, Run, last_words, run_measured

LONGEST = 1800.0
"""Seconds that configuring or making a program may take."""
WALL_TIME = "wall_time"
LINES_OF = (".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hxx", ".hpp")
NOT_OF_IT = {"tests", "test", "examples", "gnulib-tests"}
NAMED, NAMING = "named", "-fmalloom-name-requests"
"""A build as the default's, but for its requests, which say what set they are of and come from no pools."""
RECORDING = "# +-fsave-optimization-record +-foptimization-record-passes=malloom"
"""For clang's CCC_OVERRIDE_OPTIONS: what is added to each of its command lines, whoever writes them."""


@dataclass(frozen=True)
class Tree:
    """A program's sources, configured for a compiler."""

    program: SourceProgram
    folder: Path
    variables: Mapping[str, str]

    @property
    def binary(self) -> Path:
        return self.folder / self.program.binary

    def run(self, script: str, added: Mapping[str, str] | None = None) -> Run:
        """Shell commands in the folder. Raises CommandError where one fails."""
        text = f"cd {shlex.quote(str(self.folder))}\n{script}"
        environment = {**self.variables, **(added or {})}
        run = run_measured(Command(["sh", "-ec", text], environment, time_limit=LONGEST))
        if run.status != 0:
            raise CommandError(
                f"'{script.splitlines()[-1]}' ended with {describe_status(run.status)}: {last_words(run)}"
            )
        return replace(run, measures={WALL_TIME: run.wall_time})

    def make(self, added: Mapping[str, str] | None = None) -> Run:
        """Raises CommandError where that fails, or makes no binary."""
        run = self.run(self.program.make, added)
        if not self.binary.is_file():
            raise CommandError(f"'{self.program.make}' made no {self.program.binary}")
        return run


def compilers(toolchain: Toolchain) -> dict[str, dict[str, str]]:
    """The variables that name each: the same level of optimisation, and two jobs at a time."""
    level, ours = "-O2", toolchain.compiler
    plain = {"CC": CLANG, "CXX": CLANG.replace("clang", "clang++"), "LDFLAGS": "-flto=full -fuse-ld=lld"}
    plain |= {"CFLAGS": f"{level} -flto=full", "CXXFLAGS": f"{level} -flto=full"}
    plain |= {name: f"llvm-{name.lower()}-19" for name in ("AR", "NM", "RANLIB")}
    split = {"CC": str(ours / "malloom-cc"), "CXX": str(ours / "malloom-c++"), "LDFLAGS": ""}
    split |= {"CFLAGS": level, "CXXFLAGS": level}
    split |= {name: str(ours / f"malloom-llvm-{name.lower()}") for name in ("AR", "NM", "RANLIB")}
    chosen = f"-fmalloom-policy={CONTROL}"
    found = {LTO: plain, CONTROL: _with(split, chosen), DEFAULT: split, NAMED: _with(split, NAMING)}
    return {name: {**each, "MAKEFLAGS": "-j2"} for name, each in found.items()}


def _with(variables: Mapping[str, str], option: str) -> dict[str, str]:
    """In links and compilations: which of them a program's make gives which flags differs."""
    more = {name: f"{variables[name]} {option}".strip() for name in ("LDFLAGS", "CFLAGS", "CXXFLAGS")}
    return {**variables, **more}


def configured(
    bench: Bench, program: SourceProgram, toolchain: Toolchain, names: Sequence[str] = (LTO, CONTROL, DEFAULT)
) -> dict[str, Tree]:
    """A tree for each compiler. Raises CommandError where the sources cannot be had, or not configured."""
    toolchain.require()
    trees, variables_of = {}, compilers(toolchain)
    for name in names:
        variables = variables_of[name]
        folder = bench.scratch / "debian" / program.name / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        unpack(program.package, folder)
        trees[name] = Tree(program, folder, variables)
        if program.configure:
            bench.say(f"configuring {program.name}, {name}")
            trees[name].run(program.configure)
    return trees


def lines_of(tree: Tree, folders: Sequence[str] = ()) -> int:
    """Of its C and C++ files, without those of its tests; of those in some folders of it, where any are
    named."""
    found = {file for name in folders or (".",) for file in (tree.folder / name).rglob("*")}
    files = [file for file in found if file.suffix in LINES_OF and file.is_file()]
    own = [file for file in files if not NOT_OF_IT & {*file.relative_to(tree.folder).parts}]
    return sum(file.read_bytes().count(b"\n") for file in own)


def clean_builds(bench: Bench, trees: Mapping[str, Tree], rounds: int, seconds: float = math.inf) -> Rounds:
    """So many of each, in turn, each from the tree as it was configured; the last ones stay. No round begins
    when so many seconds are over. Those with link-time optimisation are made twice, as their own control."""
    began = time.monotonic()
    for tree in trees.values():
        shutil.copytree(tree.folder, _kept(tree), symlinks=True)
    measured = {**trees, again(LTO): trees[LTO]}
    runs: dict[str, list[Run]] = {name: [] for name in measured}
    for number in range(rounds):
        if number and time.monotonic() - began >= seconds:
            break
        for name in _order(list(measured), number):
            _restore(measured[name])
            bench.say(f"building {measured[name].program.name}, {name}")
            runs[name].append(measured[name].make())
    for tree in trees.values():
        shutil.rmtree(_kept(tree))
    return Rounds(runs, RaceId(f"{bench.step}: builds", LTO))


def _order(names: Sequence[str], number: int) -> list[str]:
    return list(names)[::-1] if number % 2 else list(names)


def _kept(tree: Tree) -> Path:
    return tree.folder.with_name(f"{tree.folder.name}.configured")


def _restore(tree: Tree) -> None:
    """Times of files too: make would configure it anew."""
    shutil.rmtree(tree.folder)
    shutil.copytree(_kept(tree), tree.folder, symlinks=True)


def linked_again(tree: Tree) -> tuple[Run, str]:
    """The run that links the program once more, and what the compiler remarks at that. Raises CommandError
    where it remarks nothing."""
    tree.binary.unlink()
    run = tree.make({"CCC_OVERRIDE_OPTIONS": RECORDING})
    return run, _remarks_of(tree)


def made_with_remarks(tree: Tree) -> str:
    """Builds the program for the first time; what the compiler remarks at its link. Raises CommandError where
    it remarks nothing."""
    tree.make({"CCC_OVERRIDE_OPTIONS": RECORDING})
    return _remarks_of(tree)


def _remarks_of(tree: Tree) -> str:
    found = sorted(tree.folder.rglob(f"{tree.binary.name}*.opt.ld.yaml"))
    if not found:
        raise CommandError(f"linking {tree.program.name} wrote no remarks")
    return found[0].read_text(encoding="utf-8", errors="replace")


def link_alone(tree: Tree) -> Command:
    """What links the program once more, from copies of all that goes into it, and nothing else: without make
    and the compiler's driver. Raises CommandError where its link leaves no such copies."""
    copies = tree.folder.with_name(f"{tree.folder.name}.link")
    packed = copies.with_suffix(".tar")
    tree.binary.unlink()
    tree.make({"LLD_REPRODUCE": str(packed)})
    if not packed.is_file():
        raise CommandError(f"the link of {tree.program.name} was not by {LINKER}")
    with tarfile.open(packed) as opened:
        opened.extractall(copies, filter="data")
    packed.unlink()
    (only,) = copies.iterdir()
    return within(only, [LINKER, "@response.txt"], LONGEST)


def within(folder: Path, words: Sequence[str], limit: float) -> Command:
    """A command that is run in a folder, for so many seconds at most."""
    return Command(["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *words], time_limit=limit)
