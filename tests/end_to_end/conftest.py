"""The installed command, small C programs to give it, and suites that a file of tests measures once."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import forked
from malloom.cache.geometry import zen5
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile
from some import IS_SOAK

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv/bin/malloom"
WORKLOADS = ROOT / "build/release/workloads"

Finished = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Measured:
    """A suite that was measured: how the command ended, and the files that it wrote."""

    done: Finished
    found: dict[str, Any]
    """What it wrote as JSON."""
    markdown: str

    def rows(self, **wanted: object) -> list[dict[str, Any]]:
        """Those with all these values."""
        rows = self.found["rows"]
        return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def releases_all(*command: str | Path) -> bool:
    """Whether the program, as valgrind sees it, uses its memory well and releases every object."""
    checked = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", *command]
    return subprocess.run(checked, check=False, capture_output=True).returncode == 0


def simple_plans(folder: Path) -> dict[str, Path]:
    """A plan that places its requests, and one that places nothing, by their strategies' names."""
    profile = HeapProfile.from_arrays([48] * 10)
    made = {name: folder / f"{name}.plan" for name in ("sequential", "overhead-only")}
    for name, path in made.items():
        write_plan(make_plan(profile, strategy(name).place(profile, zen5())), path)
    return made


def done_well(folder: Path, *arguments: str | Path) -> Finished:
    """`malloom ARGUMENTS` in the folder, in Python, with its imports done already: what tests prepare with,
    or look at. It ends well."""
    done = forked.run(forked.COMMAND, arguments, folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def malloom(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Finished]:
    """Runs `malloom ARGUMENTS` in the test's folder; further options go to subprocess.run. In Python, and
    where there are none but the folder, with its imports done already; but not where time is measured."""
    is_anew = IS_SOAK or request.node.get_closest_marker("alone") is not None

    def run(*arguments: str | Path, **options: object) -> Finished:
        is_python = arguments and arguments[0] not in forked.NATIVE and "--scheduler" not in arguments
        if is_python and not is_anew and options.keys() <= {"cwd"}:
            return forked.run(forked.COMMAND, arguments, Path(str(options.get("cwd", tmp_path))))
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


@pytest.fixture(scope="module")
def quick(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """`malloom bench ... --quick` with the module's BENCH, measured once for all its tests."""
    folder = tmp_path_factory.mktemp("bench")
    command = [COMMAND, "bench", *request.module.BENCH, "--quick", "--workloads", WORKLOADS]
    command += ["--json", "rows.json", "--markdown", "tables.md"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    rows, tables = folder / "rows.json", folder / "tables.md"
    assert rows.is_file() and tables.is_file(), done.stderr
    return Measured(done, json.loads(rows.read_text()), tables.read_text())
