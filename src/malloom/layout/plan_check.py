"""Whether a file is a plan that can be run. Apart, so that `malloom run` starts without NumPy."""

from __future__ import annotations

import os
from pathlib import Path

from malloom import _native
from malloom.errors import CommandError


def check_plan(path: Path | str) -> None:
    """Raises CommandError unless `path` is a good plan of a known version. Does not import NumPy."""
    try:
        problem = _native.plan_problem(os.fspath(path))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", remedy="name a plan made by 'malloom plan'") from None
    except RuntimeError as error:
        raise CommandError(
            f"{path}: cannot be read ({error})", remedy="name a plan made by 'malloom plan'"
        ) from None
    if problem:
        raise CommandError(f"{path}: {problem}", remedy="make it again with 'malloom plan'")
