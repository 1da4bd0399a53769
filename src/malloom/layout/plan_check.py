"""Whether a file is a plan that can be run. Apart, so that `malloom run` starts without NumPy."""

from __future__ import annotations

from pathlib import Path

from malloom import _native
from malloom.errors import CommandError
from malloom.file_name import native_name


def check_plan(path: Path | str) -> bytes:
    """The bytes of a plan's header; raises CommandError unless `path` is a good plan of this version.

    Opens the file once, and does not import NumPy.
    """
    remedy = "name a plan made by 'malloom plan'"
    if Path(path).exists() and not Path(path).is_file():
        raise CommandError(f"{path}: is no ordinary file", remedy=remedy)
    try:
        problem, header = _native.check_plan(native_name(path))
    except (OSError, RuntimeError) as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise CommandError(f"{path}: cannot be read: {reason}", remedy=remedy) from None
    if problem:
        raise CommandError(f"{path}: {problem}", remedy="make it again with 'malloom plan'")
    return header
