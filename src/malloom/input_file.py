"""Files that commands read, and that may be anything."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Literal


def is_there(path: Path) -> bool:
    """Whether there is an ordinary file, as far as it may be looked for: profiles are read by others than who
    recorded them."""
    try:
        return path.is_file()
    except OSError:
        return False


def opened_ordinary(path: Path, mode: Literal["rb", "r+b"] = "rb") -> BinaryIO:
    """The ordinary file at `path`, opened for reading, or to change it too. Raises OSError for anything else,
    and never waits: not for a pipe that nobody writes to, nor for a device."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is no ordinary file")
    # Another may have the name by now.
    access = os.O_RDONLY if mode == "rb" else os.O_RDWR
    return os.fdopen(os.open(path, access | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY), mode)
