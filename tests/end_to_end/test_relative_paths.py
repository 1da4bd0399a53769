"""Programs named as people name them: ./program, a script in this folder, a name in the PATH."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND

PRINTS_ITS_NAME = """
#include <stdio.h>
int main(int count, char** words) { return count != 1 || puts(words[0]) < 0; }
"""
WAYS = {
    "run": ["run"],
    "requests": ["record", "-o", "profile", "--accesses", "none"],
    "accesses": ["record", "-o", "profile", "--accesses", "full"],
}


def say(*arguments: str, folder: Path, path: Path | None = None) -> str:
    """What a command prints that must succeed, run in `folder`, with `path` first in the PATH."""
    search = os.pathsep.join([*([str(path)] if path else []), os.environ["PATH"]])
    environment = {**os.environ, "PATH": search}
    done = subprocess.run(
        [*arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def program(compile_c, tmp_path: Path) -> Path:
    """A program, and one of the same name in the folder `decoys`, which fails."""
    made = compile_c(PRINTS_ITS_NAME)
    decoy = tmp_path / "decoys" / made.name
    decoy.parent.mkdir()
    shutil.copy("/bin/false", decoy)
    return made


@pytest.mark.parametrize("way", WAYS)
def test_a_program_in_this_folder(way: str, program: Path, tmp_path: Path) -> None:
    said = say(COMMAND, *WAYS[way], "--", "./program", folder=tmp_path, path=tmp_path / "decoys")
    assert said == "./program\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_program_of_the_path_keeps_its_short_name(way: str, program: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    said = say(COMMAND, *WAYS[way], "--", "program", folder=tmp_path / "elsewhere", path=tmp_path)
    assert said == "program\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_script_in_this_folder(way: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('#!/bin/sh -e\necho "$0" "$1"\n')
    script.chmod(0o755)
    assert say(COMMAND, *WAYS[way], "--", "./script", "one two", folder=tmp_path) == "./script one two\n"


@pytest.mark.parametrize("way", WAYS)
def test_odd_names(way: str, program: Path, tmp_path: Path) -> None:
    odd = "./odd na\nme'\";\\$(x) \udcff"
    shutil.copy(os.fsencode(program), os.fsencode(tmp_path / odd))
    command = [os.fsencode(word) for word in (COMMAND, *WAYS[way], "--", odd)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, os.fsencode(odd) + b"\n"), done.stderr
