"""Profiles where they are read: files of the machine as they are, and what lies in a store as a copy."""

from __future__ import annotations

import atexit
import shutil
import socket
import tempfile
from pathlib import Path

from malloom.errors import CommandError
from malloom.extra import EXTRA, needed
from malloom.profile import HeapProfile
from malloom.temporary import having_room

REMOTE = "://"
"""In a name for fsspec, as s3://bucket/run.profile."""


def as_named(name: str) -> str:
    """A file's name that means the same in another folder."""
    return name if REMOTE in name else str(Path(name).absolute())


def local_file(name: str) -> Path:
    """The file of that name, fetched where it lies in a store: anew where it has changed there. The copy is
    gone with the process, or with the next one.

    Raises CommandError where it cannot be fetched.
    """
    return _fetched(name) if REMOTE in name else Path(name)


_copies: dict[str, tuple[object, Path]] = {}
"""Of the one that was fetched last: by its name what it was then, and the copy."""


def _fetched(name: str) -> Path:
    fsspec = needed("fsspec", f"reading {name}")
    with having_room():
        try:
            system, path = fsspec.core.url_to_fs(name)
            version = system.ukey(path)
            if name in _copies and _copies[name][0] == version:
                return _copies[name][1]
            copy = _new_copy()
            with system.open(path, "rb") as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except ImportError as problem:
            raise CommandError(f"{name} cannot be read: {problem}", remedy=EXTRA) from None
        except Exception as problem:
            if isinstance(problem, OSError) and problem.errno and not isinstance(problem, FileNotFoundError):
                raise
            reason = str(problem).partition("\n")[0] or type(problem).__name__
            raise CommandError(
                f"{name} cannot be read: {reason}", remedy="check its address and access"
            ) from None
    _copies[name] = version, copy
    return copy


def _new_copy() -> Path:
    """In the place of an earlier one."""
    for _, earlier in _copies.values():
        shutil.rmtree(earlier.parent, ignore_errors=True)
    _copies.clear()
    folder = Path(tempfile.mkdtemp(prefix="malloom-fetched-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / "run.profile"


class Opened:
    """The profile that was last opened in this process, for the next task that asks for it."""

    def __init__(self) -> None:
        self._known: tuple[object, HeapProfile] | None = None

    def profile(self, name: str, process: str | None) -> HeapProfile:
        """Raises CommandError where it cannot be read from here."""
        path = local_file(name)
        try:
            status = path.stat()
        except OSError as error:
            raise CommandError(
                f"{socket.gethostname()}, where a task runs, cannot read {name}: {error.strerror}",
                remedy="put it where all workers reach it, as s3://bucket/run.profile",
            ) from None
        identity = (name, process, status.st_size, status.st_mtime_ns)
        if self._known is None or self._known[0] != identity:
            self._known = None
            self._known = (identity, HeapProfile.open(path, process))
        return self._known[1]
