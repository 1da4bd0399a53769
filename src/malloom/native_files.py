"""Where the native parts of the installation lie."""

from pathlib import Path

from malloom.errors import CommandError

NATIVE_FOLDER = Path(__file__).parent / "native"


def native_file(name: str) -> Path:
    """Path of an installed library or launcher, for example `libmalloom.so`.

    Raises CommandError where the installation lacks it.
    """
    path = NATIVE_FOLDER / name
    if not path.is_file():
        raise CommandError(f"this installation of malloom lacks {name}", remedy="run 'make build'")
    return path
