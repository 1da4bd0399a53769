"""Files that commands write: checked before the work begins, and written whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

from malloom.errors import CommandError, UsageProblem
from malloom.input_file import opened_ordinary

BEGINNINGS = {
    "profile": b"MALLPROF",
    "plan": b"MALLPLAN",
    "table of fields": b"MALLFLDS",
    "table of a host": b"PAR1",
    "text of a profile": b"malloom profile text",
    "choice": b"choice of policies",
    "summary": b'{"malloom_summary": ',
    "page": b"<!doctype html>",
    "JUnit report": b"<?xml version='1.0' encoding='utf-8'?>\n<testsuite name=\"malloom check ",
    "header of bins": b"/* Bins, laid out by 'malloom plan --for bins'",
    "heap in C": b"/* A heap with exact bins, made by 'malloom plan --for bins --language c'",
    "crate": b"# A heap with exact bins, made by 'malloom plan --for bins --language rust'",
}
"""What files of each kind begin with (formats/*.def)."""

MARKS = {"page": (b"malloom", False), "table of a host": (b"malloom_table", True)}
"""Of kinds whose beginning is that of others' files too: what is near it, or near the end."""
MARKED = 1 << 20
"""Bytes there."""

Replaced = Literal[
    "choice",
    "summary",
    "page",
    "JUnit report",
    "profile",
    "plan",
    "table of fields",
    "table of a host",
    "text of a profile",
    "header of bins",
    "heap in C",
]
"""Those that a command may replace."""


def check_output(path: Path, source: Path | None = None) -> None:
    """Raises where no file can be written at `path`, or where that would replace `source`, which is read."""
    if not path.parent.is_dir():
        raise UsageProblem(f"there is no folder {path.parent}", remedy="create it, or choose another")
    if path.is_dir():
        raise UsageProblem(f"{path} is a folder", remedy="give the file a name inside it")
    if path.exists() and not path.is_file():
        raise UsageProblem(f"{path} is no ordinary file", remedy="choose another")
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise UsageProblem(f"{path} is what is to be read", remedy="choose another")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(f"cannot write to the folder {path.parent}", remedy="choose another")


def is_kind(path: Path, kind: str) -> bool:
    """Whether what is there begins like a file of that kind; not where it cannot be read."""
    try:
        with opened_ordinary(path) as file:
            return file.read(len(BEGINNINGS[kind])) == BEGINNINGS[kind]
    except OSError:
        return False


def check_new(path: Path) -> None:
    """Raises where there is something at `path` already, which only --force replaces."""
    if path.exists():
        raise UsageProblem(f"{path} exists already", remedy="choose another name, or replace it with --force")


def check_replaced(path: Path, kind: Replaced) -> None:
    """Raises where writing to `path` would lose a file of another kind, say the program itself."""
    if not path.exists():
        return
    try:
        with opened_ordinary(path) as file:
            beginning = file.read(len(BEGINNINGS[kind]))
            is_ours = not beginning or (beginning == BEGINNINGS[kind] and _has_mark(file, kind))
    except OSError as error:
        raise CommandError(f"cannot replace {path}: {error.strerror}", remedy="choose another name") from None
    if not is_ours:
        raise UsageProblem(f"{path} exists and is no {kind}", remedy="choose another name")


def _has_mark(file: BinaryIO, kind: str) -> bool:
    """Whether a file that begins as others do as well is one of malloom's."""
    mark, at_end = MARKS.get(kind, (b"", False))
    if at_end:
        file.seek(-min(MARKED, os.fstat(file.fileno()).st_size), os.SEEK_END)
    return mark in file.read(MARKED)


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A new file that becomes `path` when the block ends well; otherwise what was at `path` stays.

    Where `path` is a link (/dev/stdout is one), the file that it leads to is replaced.
    """
    path = path.resolve()
    # Of several hosts and containers, which may write here at once, two processes may have one number.
    beside = path.with_name(f".malloom-{os.getpid()}-{secrets.token_hex(8)}")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}", remedy="nothing was written") from None
    finally:
        beside.unlink(missing_ok=True)
