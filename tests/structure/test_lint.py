"""Formatting, lint and types: the tools' own verdicts over the whole tree."""

import subprocess
import sys

from structure.source_tree import CPP_SUFFIXES, ROOT, expect_silence, files_with


def verdict(*command: str) -> str:
    """What a tool has to say; empty when it is content."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def python_tool(*arguments: str) -> str:
    return verdict(sys.executable, "-m", *arguments)


def test_cpp_is_formatted() -> None:
    expect_silence(verdict("clang-format-19", "--dry-run", "-Werror", *files_with(*CPP_SUFFIXES)))


def test_python_is_formatted() -> None:
    expect_silence(python_tool("ruff", "format", "--check", "."))


def test_python_is_free_of_lint() -> None:
    expect_silence(python_tool("ruff", "check", "."))


def test_python_types_hold() -> None:
    expect_silence(python_tool("mypy"))
