"""The installed command, and small C programs to give it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv/bin/malloom"

Finished = subprocess.CompletedProcess[str]


def releases_all(*command: str | Path) -> bool:
    """Whether the program, as valgrind sees it, uses its memory well and releases every object."""
    checked = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", *command]
    return subprocess.run(checked, check=False, capture_output=True).returncode == 0


@pytest.fixture
def malloom(tmp_path: Path) -> Callable[..., Finished]:
    """Runs `malloom ARGUMENTS` in the test's folder; further options go to subprocess.run."""

    def run(*arguments: str | Path, **options: object) -> Finished:
        settings = {"cwd": tmp_path, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        return subprocess.run([COMMAND, *arguments], check=False, timeout=300, **{**settings, **options})  # type: ignore[call-overload,no-any-return]

    return run


@pytest.fixture
def compile_c(tmp_path: Path) -> Callable[..., Path]:
    """Compiles C source with gcc and further flags; returns the program."""

    def compile_source(source: str, *flags: str) -> Path:
        program = tmp_path / "program"
        command = ["gcc", "-O1", "-g", "-x", "c", "-", "-x", "none", "-o", program, *flags]
        subprocess.run(command, input=source, text=True, check=True)
        return program

    return compile_source
