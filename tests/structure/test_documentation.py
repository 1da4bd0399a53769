"""Every path that the documentation names exists, and every command in it runs."""

import functools
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import forked
from structure.source_tree import ROOT, files_with, text_of, tree_files

DOCUMENTS = files_with(".md")
GUIDES = [name for name in DOCUMENTS if name.startswith("docs/guide/")]

FOLDERS = {name.partition("/")[0] for name in tree_files() if "/" in name}

QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
MALLOOM_COMMAND = re.compile(r"(?:^    |^\$ |`|bin/)malloom ([a-z]+(?:\+\+)?)([^`\n#|]*)", re.MULTILINE)
MAKE_GOAL = re.compile(r"(?:^    |^\$ |`)make ([a-z]+)", re.MULTILINE)

LONGEST = 300
"""Seconds for one command of the documentation."""

PLAIN = re.compile(r"malloom [\w./,:=%+ -]+")
"""Commands of malloom that have nothing in them that the shell would change."""

MEASURING = re.compile(r"malloom ((bench|optimize)\b|.* --scheduler\b)")
"""Commands that run programs again and again, or start workers. Pages with such wait for `make soak`, but for
their others."""


def named_paths(document: str) -> list[str]:
    """Quoted words that begin with a folder of the tree, relative to the root, and targets of links."""
    text = text_of(document)
    quoted = [word for word in QUOTED.findall(text) if re.fullmatch(r"[\w.+-]+(/[\w.+*-]*)+", word)]
    links = [os.path.normpath(Path(document).parent / target) for target in LINK.findall(text)]
    return [word for word in quoted if word.partition("/")[0] in FOLDERS] + links


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_exist(document: str) -> None:
    assert [path for path in named_paths(document) if not list(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_make_goals_exist(document: str) -> None:
    goals = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    assert set(MAKE_GOAL.findall(text_of(document))) - goals == set()


@functools.cache
def help_of(verb: str, suite: str) -> str:
    """A suite's own help where one is named: it declares its options itself."""
    named = [suite] if verb == "bench" and re.fullmatch(r"[a-z]+", suite) else []
    done = forked.run(forked.COMMAND, [verb, *named, "--help"], ROOT)
    assert done.returncode == 0, f"there is no 'malloom {verb}': {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("document", DOCUMENTS)
def test_options_exist(document: str) -> None:
    """Also of commands that are only mentioned: the verb and each of its options is in the verb's help."""
    for verb, arguments in MALLOOM_COMMAND.findall(text_of(document)):
        options = re.findall(r"(?<=\s)--[a-z-]+", arguments.partition(" -- ")[0])
        text = help_of(verb, (arguments.split() or [""])[0])
        assert [option for option in options if option not in text] == [], f"malloom {verb}{arguments}"


@pytest.fixture
def readers_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as the guide's reader has it: the source tree's build at hand, malloom in the PATH."""
    (tmp_path / "build").symlink_to(ROOT / "build")
    monkeypatch.setenv("PATH", f"{ROOT / '.venv/bin'}:{os.environ['PATH']}")
    return tmp_path


def commands_of(guide: str) -> list[str]:
    lines = [line for block in CONSOLE.findall(text_of(guide)) for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def quick_commands_of(guide: str) -> list[str]:
    return [command for command in commands_of(guide) if not MEASURING.match(command)]


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if quick_commands_of(guide)])
def test_commands_run(guide: str, readers_folder: Path) -> None:
    """The commands of a guide that do not measure, one after the other in one folder, as its reader would
    type them."""
    run_all(guide, quick_commands_of(guide), readers_folder)


@pytest.mark.long
@pytest.mark.parametrize(
    "guide", [guide for guide in GUIDES if commands_of(guide) != quick_commands_of(guide)]
)
def test_all_commands_run(guide: str, readers_folder: Path) -> None:
    run_all(guide, commands_of(guide), readers_folder)


def done_with(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What becomes of a command; where it is malloom's in Python and nothing to the shell, of one that has
    done its imports."""
    words = command.split()
    if PLAIN.fullmatch(command) and words[1] not in forked.NATIVE and "--scheduler" not in words:
        return forked.run(forked.COMMAND, words[1:], folder, LONGEST)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def run_all(guide: str, commands: list[str], folder: Path) -> None:
    for command in commands:
        done = done_with(command, folder)
        assert done.returncode == 0, f"{shlex.quote(command)} in {guide}: {done.stdout}{done.stderr}"
