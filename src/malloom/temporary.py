"""Whether the disk of temporary files has room."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from malloom.errors import CommandError


class NoRoom(CommandError):
    """The disk of temporary files is full."""

    def __init__(self) -> None:
        super().__init__(
            f"there is no room left in {tempfile.gettempdir()}, where temporary files go",
            remedy="make room there, or set TMPDIR to another folder",
        )


def require_room(file: IO[bytes]) -> None:
    """Raises CommandError where the disk of a temporary file is full: whoever wrote to the file may have
    written more than it has."""
    disk = os.fstatvfs(file.fileno())
    # Some is kept for root.
    free = disk.f_bavail if os.geteuid() else disk.f_bfree
    if disk.f_blocks and not free:
        raise NoRoom


@contextmanager
def having_room() -> Iterator[None]:
    """A block that writes temporary files: raises CommandError where the disk gets full."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise NoRoom from None
