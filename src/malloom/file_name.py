"""Names of files for the native core, which takes UTF-8 only."""

import os
from pathlib import Path

from malloom.errors import CommandError


def native_name(path: Path | str) -> str:
    """The path as text; raises CommandError where its bytes are no UTF-8."""
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise CommandError(f"the name {name} is not UTF-8", remedy="rename the file or its folder") from None
    return name
