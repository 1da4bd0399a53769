"""The command line as a whole: help, mistakes, and output that nobody reads."""

import os
import subprocess
from collections.abc import Callable

import pytest

from malloom.commands.main import VERBS

Malloom = Callable[..., subprocess.CompletedProcess[str]]

CLANGS = ("cc", "c++")
"""Verbs whose arguments, and help, are clang's."""
OWN = [verb for verb in VERBS if verb not in CLANGS]


def test_version(malloom: Malloom) -> None:
    assert malloom("--version").stdout == "malloom 0.1.0\n"


def test_help_names_every_verb(malloom: Malloom) -> None:
    done = malloom("--help")
    assert done.returncode == 0
    assert [verb for verb in VERBS if f"\n  {verb} " not in done.stdout] == []


def test_no_verb_shows_help(malloom: Malloom) -> None:
    done = malloom()
    assert done.returncode == 2
    assert "Usage: malloom" in done.stdout


@pytest.mark.parametrize("verb", OWN)
def test_help_teaches_by_example(malloom: Malloom, verb: str) -> None:
    done = malloom(verb, "--help")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert f"Example: malloom {verb}" in done.stdout


def test_mistyped_verb_is_corrected(malloom: Malloom) -> None:
    done = malloom("optimise")
    assert done.returncode == 2
    assert done.stderr == "malloom: there is no command 'optimise'; did you mean 'optimize'?\n"


@pytest.mark.parametrize("verb", OWN)
def test_unknown_option_is_one_line(malloom: Malloom, verb: str) -> None:
    done = malloom(verb, "--no-such-option")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("verb", CLANGS)
def test_arguments_are_clangs(malloom: Malloom, verb: str) -> None:
    assert "clang LLVM compiler" in malloom(verb, "--help").stdout
    assert malloom(verb, "--print-prog-name=ar").stdout.strip().endswith("llvm-ar")
    done = malloom(verb, "-fsyntax-only", "--", "--missing.c")
    assert done.returncode == 1
    assert "no such file or directory: '--missing.c'" in done.stderr


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (["optimize", "--runs", "2", "--", "ls"], "--runs must be 6 or more"),
        (["optimize", "--runs", "two", "--", "ls"], "--runs must be a whole number"),
        (["optimize", "--runs", "99999999999999999999", "--", "ls"], "--runs must be 10000 or less"),
        (["optimize", "--seconds", "-1", "--", "ls"], "--seconds must be 0 or more"),
        (["optimize", "--seconds", "x", "--", "ls"], "--seconds must be a number"),
        (["record", "--depth", "99", "-o", "x", "--", "ls"], "--depth must be 32 or less"),
        (["plan", "p", "-o", "x", "--match", "y"], "invalid value for '--match': 'y' is not one of"),
    ],
)
def test_numbers_out_of_range_are_refused_in_plain_words(malloom, command: list[str], complaint: str) -> None:
    done = malloom(*command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"malloom: {complaint}")
    assert f"; see 'malloom {command[0]} --help'" in done.stderr


@pytest.mark.parametrize("command", [["plan", "x", "-o", "y"], ["report", "x"], ["record", "-o", "y", "x"]])
def test_depths_have_a_limit(malloom: Malloom, command: list[str]) -> None:
    done = malloom(command[0], "--depth", "99999999999", *command[1:])
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_nobody_reads_the_output(malloom: Malloom) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = malloom("--help", stdout=writing, stderr=subprocess.PIPE, capture_output=False)
    os.close(writing)
    assert done.returncode != 0
    assert done.stderr == ""


def test_run_loads_no_heavy_library(malloom: Malloom) -> None:
    """Where it is for Python, as with a mistake in the line."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    imported = malloom("run", "--", "no-such-program", env=environment).stderr
    assert "malloom.launch.program\n" in imported
    assert [name for name in ("numpy", "rich", "elftools", "pygments") if f" {name}\n" in imported] == []


@pytest.mark.parametrize(
    ("shell", "variables", "completed"),
    [
        ("bash", {"COMP_WORDS": "malloom re", "COMP_CWORD": "1"}, ["record", "rebase", "report"]),
        ("bash", {"COMP_WORDS": "malloom report --fo", "COMP_CWORD": "2"}, ["--format"]),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "malloom simu"}, ['"simulate"']),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "malloom doc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            ["doctor"],
        ),
    ],
)
def test_shells_complete_commands_and_options(
    malloom: Malloom,
    shell: str,
    variables: dict[str, str],
    completed: list[str],
) -> None:
    done = malloom(env={**os.environ, "_MALLOOM_COMPLETE": f"complete_{shell}", **variables})
    assert done.returncode == 0
    for word in completed:
        assert word in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_can_be_told_how(malloom: Malloom, shell: str) -> None:
    done = malloom(
        "--show-completion", shell, env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    )
    assert "_MALLOOM_COMPLETE=complete_" in done.stdout
