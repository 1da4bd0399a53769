"""What `malloom optimize --build` keeps of programs whose sources are at hand, judged on other inputs."""

import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from malloom.bench.cases import Case
from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, Of
from malloom.bench.kept import TIME, answer_of, check_row, told_inputs, training_row, unchanged_row
from malloom.bench.means import MEAN, geometric_mean
from malloom.bench.splitting import debian_programs
from malloom.bench.splitting.builds import built, toolchain_of
from malloom.bench.splitting.compilers import DEFAULT, LTO
from malloom.bench.splitting.debian import SAME_DATE
from malloom.bench.splitting.debian_builds import Tree, configured
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.programs import LLU, SMALL, STRUCTURES, Lists, small, sources_of
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import MADE, heap_bytes, sized
from malloom.measure.interval import median_ratio
from malloom.measure.rows import Place, Row, row
from malloom.optimize.building import POLICIES
from malloom.optimize.inputs import PLACEHOLDER

KEPT, BEST_SETTING = "kept", "best setting"
TRAINED_ON, CHECKED_ON = ("0.35x", "1.4x"), ("0.7x", "2.8x")
"""Heaps against the last level: a check input between those that are learned from, and one beyond them."""
FIXED: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "bh": (("4096 6", "8192 4"), ("6000 5", "16384 3")),
    "bisort": (("131072", "524288"), ("262144", "1048576")),
    "perimeter": (("11", "13"), ("12", "14")),
    "power": (("8", "16"), ("12", "24")),
    "voronoi": (("4096", "16384"), ("8192", "32768")),
}
"""Of programs whose heaps have no size against the last level: inputs to learn from, and to check by."""
SIZED = ("em3d", "health", "mst", "treeadd", "tsp")
PROGRAMS = (*SIZED, *FIXED, LLU, *(f"{SMALL}{structure}" for structure in STRUCTURES))
DEBIAN = debian_programs.PROGRAMS[:5]
"""The first ones, as they are listed: by language and name."""
TRAINED_PARTS, CHECKED_PARTS = (0.3, 0.8), (0.5, 1.2)
"""Of the work that Debian's programs are given elsewhere."""
LARGEST_LEVEL = 32 << 20
"""Bytes. Heaps are sized by a last level of at most so many, so that a race of thirty rows has an end."""
NO_SLOWER = 1.01
"""Of the program as it is, at the interval's low end."""


@dataclass(frozen=True)
class Chosen:
    """A program with its inputs; the first are learned from, the others judge."""

    program: str
    train: tuple[Case, ...]
    check: tuple[Case, ...]


@dataclass(frozen=True)
class Made:
    """The program as it is, built with link-time optimisation, where its builds take its place, and what
    builds it."""

    program: Path
    build: str
    wanted: Chosen


def chosen(program: str, last_level: int) -> Chosen:
    """With heaps against a last level of so many bytes, or inputs of its own."""
    if program in FIXED:
        train, check = (tuple(_fixed(program, text) for text in texts) for texts in FIXED[program])
    else:
        train, check = (
            tuple(_sized(program, size, min(last_level, LARGEST_LEVEL)) for size in sizes)
            for sizes in (TRAINED_ON, CHECKED_ON)
        )
    return Chosen(program, train, check)


def _fixed(program: str, text: str) -> Case:
    return Case(program, tuple(text.split()), "", text)


def _sized(program: str, size: str, last_level: int) -> Case:
    if program in MADE:
        return sized(program, size, last_level)
    if program == LLU:
        return Lists(1, heap_bytes(size, last_level), size).case(20)
    case = small(program.removeprefix(SMALL), "several", "shuffled", size, last_level, 4)
    return replace(case, label=size)


class CheckRuns(Gathered[Mapping[str, list[float]]]):
    """CPU seconds on the check inputs so far: of the program of link-time optimisation, of what is kept and
    of the best setting, one of each in every round."""

    kind = dict[str, list[float]]


def chosen_rows(
    bench: Bench, name: str, make: Callable[[Bench, Path], Made], seconds: float | None, gathered: CheckRuns
) -> list[Row | Goal]:
    """What is kept, and the best setting, against the program of link-time optimisation on every check input;
    every build on the training inputs. `make` makes the program in a folder; `seconds` are for the runs of
    `malloom optimize`."""
    folder = bench.scratch / "chosen" / name
    folder.mkdir(parents=True, exist_ok=True)
    made = make(bench, folder)
    wanted, answer = made.wanted, _answer(bench, made, folder, seconds)
    bench.note("; ".join([f"kept: {_kept(answer) or 'nothing'}", *answer["notes"]]))
    judged = _check_runs(wanted, answer)
    gathered |= judged
    against = [_against_best(place, runs) for place, runs in judged.items()]
    return [*_check_rows(wanted, answer), *against, *_training_rows(wanted, answer)]


def _against_best(place: Place, runs: Mapping[str, Sequence[float]]) -> Row:
    ratio = median_ratio(runs[KEPT], runs[BEST_SETTING])
    return row(place, KEPT, BEST_SETTING, TIME, ratio, runs=len(runs[KEPT]))


def mean_rows(gathered: CheckRuns) -> list[Row]:
    """Over the programs, whose inputs together count as one: of all, against the program of link-time
    optimisation and against the best setting."""
    inputs = Counter(program for program, _ in gathered)
    weights = [1 / inputs[program] for program, _ in gathered]
    place = (MEAN, f"{len(inputs)} programs")
    found = []
    for variant, baseline in ((KEPT, LTO), (BEST_SETTING, LTO), (KEPT, BEST_SETTING)):
        ratios = [np.divide(runs[variant], runs[baseline]).tolist() for runs in gathered.values()]
        if ratios:
            fewest = min(map(len, ratios))
            found.append(row(place, variant, baseline, TIME, geometric_mean(ratios, weights), runs=fewest))
    return found


def _check_runs(wanted: Chosen, answer: Mapping[str, Any]) -> dict[Place, dict[str, list[float]]]:
    """Of the inputs on which all of them ran. A program of which nothing is kept runs as it is."""
    kept, rival = _kept(answer), _rival(answer)
    found = {}
    for place, given in _places(wanted.check):
        of_input = _checks_of(answer, given)
        if rival in of_input and kept in (None, *of_input):
            runs = of_input[rival]
            as_it_is = runs["as_it_is"][TIME]
            of_kept = as_it_is if kept is None else of_input[kept]["runs"][TIME]
            found[place] = {LTO: as_it_is, KEPT: of_kept, BEST_SETTING: runs["runs"][TIME]}
    return found


def _kept(answer: Mapping[str, Any]) -> str | None:
    choice: str = answer["choice"]
    return choice if answer["plan"] or answer["choice_file"] else None


def _rival(answer: Mapping[str, Any]) -> str | None:
    """The setting that ran beside the choice, or is it."""
    name: str | None = answer["rival"] or answer["best_setting"]
    return name


def _checks_of(answer: Mapping[str, Any], given: str) -> dict[str, Any]:
    """By row."""
    return {told["row"]: told for told in answer["checks"] if told["input"] == given}


def _answer(bench: Bench, made: Made, folder: Path, seconds: float | None) -> dict[str, Any]:
    inputs = told_inputs(made.wanted.train, made.wanted.check)
    options = ["-o", str(folder / "kept.plan"), "--build", made.build]
    command = [str(made.program), PLACEHOLDER]
    name = f"chosen-{made.wanted.program}"
    return answer_of(bench, name, [*options, *inputs], command, seconds, SAME_DATE)


def made_here(bench: Bench, folder: Path, wanted: Chosen) -> Made:
    """A program of the suite's own, as its own compilers build it: a copy, as builds take its place."""
    program = folder / wanted.program
    program.write_bytes(built(bench, wanted.program, LTO).read_bytes())
    program.chmod(0o755)
    tree = toolchain_of(bench.workloads).tree
    sources = shlex.join(map(str, sources_of(wanted.program, tree)))
    build = f"{{cc}} -O3 {shlex.quote(f'-I{tree}')} {sources} -lm -o {shlex.quote(str(program))}"
    return Made(program, build, wanted)


def made_of_debian(bench: Bench, folder: Path, program: DebianProgram, is_quick: bool) -> Made:
    """One of Debian's, from the tree as it was configured for malloom's compiler, with others in its place.
    Raises CommandError where the sources cannot be had, or not be built with link-time optimisation."""
    trees = configured(bench, program, toolchain_of(bench.workloads))
    whole = trees[LTO]
    whole.make()
    tree, kept = trees[DEFAULT], trees[DEFAULT].folder.with_name("configured")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(tree.folder, kept, symlinks=True)
    tree.binary.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(whole.binary, tree.binary)
    size = program.work.quick_size if is_quick else program.work.size
    train, check = (
        tuple(_work(program, max(int(part * size), 1), folder) for part in parts)
        for parts in (TRAINED_PARTS, CHECKED_PARTS)
    )
    return Made(tree.binary, build_of(tree, kept), Chosen(program.name, train, check))


def build_of(tree: Tree, kept: Path) -> str:
    """From the configured tree, whose compilers' names make is told anew."""
    there, was = shlex.quote(str(tree.folder)), shlex.quote(str(kept))
    named = {name: value for name, value in tree.variables.items() if name not in ("CC", "CXX", "MAKEFLAGS")}
    variables = [f"{name}={shlex.quote(value)}" for name, value in named.items()]
    ours = "CC={cc} CXX={cxx} MAKEFLAGS='-j2 -- CC={cc} CXX={cxx}'"
    text = f"rm -rf {there} && cp -a {was} {there} && cd {there} && export {' '.join(variables)} {ours}"
    return f"{text} && {tree.program.make}"


def _work(program: DebianProgram, size: int, folder: Path) -> Case:
    arguments = tuple(program.work.prepared(folder, size))
    return Case(program.name, arguments, "", f"{size} {program.work.unit}")


def _check_rows(wanted: Chosen, answer: Mapping[str, Any]) -> list[Row | Goal]:
    kept = _kept(answer)
    found: list[Row | Goal] = []
    for place, given in _places(wanted.check):
        of_input = _checks_of(answer, given)
        if kept is None:
            found.append(unchanged_row(place, KEPT, LTO))
        elif kept in of_input:
            made = check_row(place, KEPT, LTO, of_input[kept])
            found += [made, Goal(made, NO_SLOWER, Of.LOW)]
        rival = _rival(answer)
        if rival in of_input:
            found.append(check_row(place, BEST_SETTING, LTO, of_input[rival]))
    return found


def _training_rows(wanted: Chosen, answer: Mapping[str, Any]) -> list[Row]:
    """The builds by policies alone, so that all programs have the same columns."""
    names = {f"built with {policy}": policy for policy in POLICIES}
    return [
        training_row(place, names[told["name"]], LTO, given)
        for place, text in _places(wanted.train)
        for told in answer["rows"]
        if told["name"] in names
        for given in told.get("inputs", ())
        if given["input"] == text
    ]


def _places(cases: Sequence[Case]) -> list[tuple[Place, str]]:
    return [(case.place, shlex.join(case.arguments)) for case in cases]
