"""The suites, found by their folders: every one in this folder with a module `suite.py` that has a SUITE."""

import importlib
from collections.abc import Mapping
from pathlib import Path

from malloom.bench.suite import Prepared, Suite
from malloom.errors import CommandError

HERE = (Path(__file__).parent,)


def found_suites() -> Mapping[str, Suite]:
    """Every suite by the name of its folder, also those that cannot be loaded (Suite.problem)."""
    files = {file.parent.name: file for folder in HERE for file in folder.glob("*/suite.py")}
    return {name: _loaded(file) for name, file in sorted(files.items())}


def _loaded(file: Path) -> Suite:
    name = file.parent.name
    try:
        suite = importlib.import_module(f"malloom.bench.{name}.suite").SUITE
    except (Exception, SystemExit) as error:  # whatever it is, the other suites stay
        return _unusable(name, file, f"{type(error).__name__}: {error}")
    return suite if isinstance(suite, Suite) else _unusable(name, file, "its SUITE is no Suite")


def _unusable(name: str, file: Path, why: str) -> Suite:
    """One that says, wherever it is asked for, why it cannot be loaded."""
    why = " ".join(why.split())
    error = CommandError(f"the suite '{name}' cannot be loaded: {why}", remedy=f"fix {file}")

    def prepare(quick: bool) -> Prepared:
        raise error

    return Suite(f"cannot be loaded: {why}", {}, prepare, problem=error)
