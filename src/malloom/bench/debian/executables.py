"""Where Debian's own programs are, whatever else the path has under their names."""

import shutil

from malloom.errors import CommandError

FOLDER = "/usr/bin"


def of_debian(name: str, package: str = "") -> str:
    """The program's path. Raises CommandError where it is not installed."""
    path = shutil.which(name, path=FOLDER)
    if path is None:
        raise CommandError(
            f"{name} is not installed",
            remedy=f"install Debian's package {package or name}, or run 'make bench'",
        )
    return path
