"""Manual pages: all that the help says, in the language of man."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.commands.main import VERBS, load_verb

Malloom = Callable[..., subprocess.CompletedProcess[str]]


def rendered(page: str) -> str:
    """As `man` shows it. Fails where groff warns."""
    command = ["groff", "-man", "-ww", "-Tascii", "-rLL=200n", "-P-c", "-P-b", "-P-u"]
    done = subprocess.run(command, input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_all_pages_are_written_where_man_finds_them(malloom: Malloom, tmp_path: Path) -> None:
    assert malloom("man", "-o", "share").returncode == 0
    pages = sorted(path.name for path in (tmp_path / "share/man1").iterdir())
    assert pages == sorted(["malloom.1", *(f"malloom-{verb}.1" for verb in VERBS)])
    own = rendered((tmp_path / "share/man1/malloom.1").read_text())
    assert all(f"malloom-{verb}(1)" in own for verb in VERBS)


@pytest.mark.parametrize("verb", ["record", "run", "optimize"])
def test_a_page_has_every_option(malloom: Malloom, verb: str) -> None:
    done = malloom("man", verb)
    assert done.returncode == 0
    text = rendered(done.stdout)
    for parameter in load_verb(verb).params:
        for name in parameter.opts if parameter.param_type_name == "option" else ():
            assert name in text, name
    assert "NAME" in text and "Example: malloom" in text


def test_a_command_that_is_not_there_is_named(malloom: Malloom) -> None:
    done = malloom("man", "recrod")
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        ["malloom: there is no command 'recrod'; 'malloom --help' lists them"],
    )
    assert malloom("man", "run", "-o", "x").returncode == 2
