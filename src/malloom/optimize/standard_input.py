"""What is piped to `malloom optimize`, kept for every run of the program. Without NumPy: the command's help
asks."""

import os
import select
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from malloom.errors import CommandError
from malloom.quantities import format_size
from malloom.temporary import having_room

MOST_BYTES = 1 << 30
"""Of a pipe, which may never end: a file has no limit."""
PIECE = 1 << 20
FILE_INSTEAD = "name a file, as in --train '@FILE'; or end it, as with < /dev/null"


@contextmanager
def repeatable_input(is_told: bool, seconds: float) -> Iterator[Path | None]:
    """A file that holds the standard input, for every run to read from its start.

    None where that is a terminal or another device, or closed: the runs then read nothing; and where the
    inputs are told otherwise. Raises CommandError where it does not end within so many seconds or MOST_BYTES.
    """
    if is_told or sys.stdin is None or stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode):
        yield None
        return
    # Without a buffer, of which closing would try to write the rest.
    with tempfile.NamedTemporaryFile(prefix="malloom-input-", buffering=0) as copy:
        with having_room():
            _copy(sys.stdin.fileno(), copy, seconds)
        yield Path(copy.name)


def _copy(source: int, copy: IO[bytes], seconds: float) -> None:
    is_file = stat.S_ISREG(os.fstat(source).st_mode)
    last, taken = time.monotonic() + seconds, 0
    while piece := _next_piece(source, last, seconds):
        taken += len(piece)
        if taken > MOST_BYTES and not is_file:
            raise CommandError(f"standard input has more than {format_size(MOST_BYTES)}", remedy=FILE_INSTEAD)
        rest = memoryview(piece)
        while rest:
            rest = rest[copy.write(rest) :]


def _next_piece(source: int, last: float, seconds: float) -> bytes:
    """Empty at the end."""
    ready, _, _ = select.select([source], [], [], max(last - time.monotonic(), 0))
    if not ready:
        raise CommandError(f"standard input did not end within {seconds:g} s", remedy=FILE_INSTEAD)
    return os.read(source, PIECE)
