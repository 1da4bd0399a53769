"""The files of the tree, as the structure tests see them."""

import functools
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CPP_SUFFIXES = (".cpp", ".h", ".c")

PRODUCT = (
    "checks/",
    "compiler/",
    "cmake/",
    "dynamorio/",
    "firmware/",
    "formats/",
    "hardware/",
    "include/",
    "optimizer/",
    "record/",
    "runtime/",
    "setup/",
    "src/",
    "workloads/",
)
"""Folders of what is built and shipped, and of what builds it: all but tests and documents."""


@functools.cache
def tree_files() -> tuple[str, ...]:
    """Every file that is, or could be, under version control, relative to the root.

    Asked of an empty repository, so that it also holds for an archive and for another user's checkout.
    """
    with tempfile.TemporaryDirectory() as empty:
        subprocess.run(["git", "init", "--quiet", "--bare", empty], check=True)
        git = ["git", f"--git-dir={empty}", f"--work-tree={ROOT}"]
        command = [*git, "ls-files", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(name for name in sorted(listing.splitlines()) if (ROOT / name).is_file())


def files_with(*suffixes: str) -> list[str]:
    return [name for name in tree_files() if name.endswith(suffixes)]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def lines_matching(pattern: str, names: list[str]) -> list[str]:
    """`file:line: text` of every line that matches the pattern."""
    expression = re.compile(pattern)
    return [
        f"{name}:{number}: {line.strip()}"
        for name in names
        for number, line in enumerate(text_of(name).splitlines(), 1)
        if expression.search(line)
    ]


def expect_silence(output: str) -> None:
    """Fail with a tool's whole output, unless there is none."""
    if output:
        pytest.fail(output, pytrace=False)
