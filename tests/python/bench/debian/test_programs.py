"""The suite's programs and their inputs: the same bytes everywhere, inputs that the programs take, and output
that does not change from run to run."""

import hashlib
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from malloom.bench.debian.draw import Draw
from malloom.bench.debian.executables import of_debian
from malloom.bench.debian.programs import INPUTS, PROGRAMS, Input, Program, Role, told_inputs
from malloom.errors import CommandError
from malloom.optimize.inputs import Input as OptimizeInput

OF_BENCH_ONLY = ("bsdtar", "cppcheck", "groff", "ruby", "tclsh", "xalan")
"""What `make test` does not install."""
LONG = ("cc1plus",)
"""What takes long however small its input is: the headers of the standard library are the same."""
TIMES_SMALLER = 40


def by_name(name: str) -> Program:
    return next(program for program in PROGRAMS if program.name == name)


def each(full: bool = False) -> list[Any]:
    """The programs as parameters; what takes long, or packages that only `make soak` has, for that."""
    return [
        pytest.param(
            program if full else program.smaller(TIMES_SMALLER),
            marks=pytest.mark.long if full or program.name in (*OF_BENCH_ONLY, *LONG) else (),
            id=f"{program.name}{' full' * full}",
        )
        for program in PROGRAMS
    ]


def output_of(program: Program, wanted: Input, folder: Path) -> bytes:
    words = program.prepared(wanted, folder)
    done = subprocess.run(
        program.command_line(words), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{program.name}: {done.stderr.decode(errors='replace')[-500:]}"
    return done.stdout


@pytest.mark.parametrize("program", [*each(), *each(full=True)])
def test_each_program_does_the_same_work_in_two_runs_on_each_input(program: Program, tmp_path: Path) -> None:
    outputs = []
    for wanted in INPUTS:
        outputs.append(output_of(program, wanted, tmp_path))
        assert output_of(program, wanted, tmp_path) == outputs[-1]
    assert all(outputs)
    assert len({*outputs}) == len(INPUTS), "two inputs are the same work"


def digest_of(folder: Path) -> str:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    told = "".join(
        f"{file.relative_to(folder)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for file in files
    )
    return hashlib.sha256(told.encode()).hexdigest()[:12]


DIGESTS = {
    "cc1": "45e8dd329e99",
    "cc1plus": "8cd936fc2fd3",
    "python3": "4dae1e39dd4e",
    "ruby": "13018146b27b",
    "tclsh": "aed57c2dca77",
    "perl": "1754728099e8",
    "xsltproc": "43c2e7e8c437",
    "xalan": "7f530bde6a4d",
    "groff": "ab6f0f8d7925",
    "dot": "a7df8b595ae5",
    "sqlite3": "135c21da7fc1",
    "jq": "bf4fa289d9b0",
    "bsdtar": "27550b6e10cb",
    "ninja": "79f19cb99cf0",
    "cppcheck": "8cd936fc2fd3",
    "yosys": "9fbd863ed61a",
}
"""Of what each generator writes; not of objects and repositories, which Debian's tools make of that."""


@pytest.mark.parametrize("name", DIGESTS)
def test_bytes_are_the_same_everywhere(name: str, tmp_path: Path) -> None:
    by_name(name).write(tmp_path, Draw(7), 30)
    assert digest_of(tmp_path) == DIGESTS[name]


@pytest.mark.parametrize("name", ["ld", "git"])
def test_what_tools_make_is_the_same_again(name: str, tmp_path: Path) -> None:
    program = by_name(name).smaller(TIMES_SMALLER)
    found = []
    for folder in (tmp_path / "once", tmp_path / "again"):
        program.prepared(INPUTS[0], folder)
        found.append({digest_of(made) for made in folder.rglob("pack" if name == "git" else "ld-*")})
    assert found[0] == found[1] != set()


def test_every_digest_is_looked_at() -> None:
    assert {*DIGESTS} == {program.name for program in PROGRAMS} - {"ld", "git"}


def test_at_least_sixteen_programs_of_different_names() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 16


def test_two_inputs_to_learn_on_one_to_check_by_and_two_that_nobody_is_told_of() -> None:
    assert Counter(wanted.role for wanted in INPUTS) == {Role.TRAIN: 2, Role.CHECK: 1, Role.HELD_OUT: 2}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_no_two_inputs_have_one_size_or_one_seed(program: Program) -> None:
    assert len({program.size_of(wanted) for wanted in INPUTS}) == len(INPUTS)
    assert len({wanted.seed for wanted in INPUTS}) == len(INPUTS)
    assert all(program.place(wanted)[1].startswith(wanted.role) for wanted in INPUTS)


@pytest.mark.parametrize("name", [program.name for program in PROGRAMS if program.name != "ld"])
def test_inputs_differ_in_content_where_they_have_one_size(name: str, tmp_path: Path) -> None:
    written = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        by_name(name).write(folder, Draw(seed), 20)
        written.append(digest_of(folder))
    assert written[0] != written[1]


def test_an_input_is_made_once(tmp_path: Path) -> None:
    program = by_name("jq").smaller(TIMES_SMALLER)
    _, document = map(Path, program.prepared(INPUTS[0], tmp_path))
    before = document.stat().st_mtime_ns
    program.prepared(INPUTS[0], tmp_path)
    assert document.stat().st_mtime_ns == before


def test_an_input_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    def fails_in_the_middle(folder: Path, _draw: Draw, _size: int) -> None:
        (folder / "packages.json").write_text("[")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        replace(by_name("jq"), write=fails_in_the_middle).prepared(INPUTS[0], tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_a_program_that_is_not_installed_is_named_with_its_package() -> None:
    with pytest.raises(CommandError, match="no-such-program is not installed"):
        of_debian("no-such-program", "some-package")


def test_it_is_told_of_no_held_out_input() -> None:
    words = {given: ("-f", f"input {given.seed}") for given in INPUTS}
    told = told_inputs(words)
    assert {*told} == {f"-f 'input {given.seed}'" for given in INPUTS if given.role is not Role.HELD_OUT}
    assert {given.role for given in told.values()} == {Role.TRAIN, Role.CHECK}


def test_every_program_gets_the_words_of_its_inputs_as_they_are(tmp_path: Path) -> None:
    for program in PROGRAMS:
        words = [word.format(folder=tmp_path) for word in program.words]
        [text] = told_inputs(dict.fromkeys(INPUTS, words))
        told = OptimizeInput.of(text)
        assert ([*told.words], told.stdin) == (words, None)
