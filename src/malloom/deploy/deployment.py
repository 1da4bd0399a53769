"""A folder with all that a host needs to run a program with a plan: nothing of Python's is in it."""

import os
import re
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from malloom.deploy.needs import Needs, needs_of
from malloom.errors import CommandError, UsageProblem

PLAN = "malloom.plan"
RUN_TIME = "libmalloom.so"
LICENSE = "LICENSE.mimalloc"
"""Of mimalloc, which is a part of the run time: copies of it have to carry its notice."""
ENVIRONMENT = "malloom.env"
DROP_IN = "malloom.conf"
DOCKERFILE = "Dockerfile.malloom"

PLACE = re.compile(r"/[\w@+=,./-]*", re.ASCII)
VALUE = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
"""What shells, systemd, Docker and the loader all read as it stands, without quotes: Docker would take them
for a part of the value."""


@dataclass(frozen=True)
class Deployment:
    """What is to be written."""

    place: PurePosixPath
    """Where the folder will lie on the host."""
    files: Mapping[str, Path]
    """What is copied, by its name in the folder."""
    variables: Mapping[str, str]
    """What a program's environment gets."""

    def __post_init__(self) -> None:
        for name, value in self.variables.items():
            if not VALUE.fullmatch(value):
                raise CommandError(f"{name}={value} cannot be written to {ENVIRONMENT} without quotes")

    @property
    def texts(self) -> dict[str, str]:
        """What is written of its own, by its name in the folder."""
        return {
            ENVIRONMENT: self._environment(),
            DROP_IN: self._drop_in(),
            DOCKERFILE: self._dockerfile(),
        }

    @property
    def names(self) -> list[str]:
        """Of all files."""
        return [*self.files, *self.texts]

    def needs(self) -> Needs:
        """What the host must have."""
        return needs_of({name: path for name, path in self.files.items() if name not in (PLAN, LICENSE)})

    def _environment(self) -> str:
        head = [
            "# What a program's environment gets: for systemd's EnvironmentFile=, 'docker run --env-file',",
            f"# and 'set -a; . {self.place}/{ENVIRONMENT}; set +a' in a shell.",
        ]
        return "\n".join([*head, *self._assignments()]) + "\n"

    def _drop_in(self) -> str:
        return (
            f"# Belongs into /etc/systemd/system/NAME.service.d/{DROP_IN}; then 'systemctl daemon-reload'.\n"
            "# Without the file behind the minus the service starts as without malloom.\n"
            "[Service]\n"
            f"EnvironmentFile=-{self.place}/{ENVIRONMENT}\n"
        )

    def _dockerfile(self) -> str:
        """In a Dockerfile what is set last holds for the container, and not for the steps that build it."""
        lines = [f"# The last lines of a Dockerfile in whose context this folder lies as {self.place.name}."]
        if self.files:
            copied = " ".join(f"{self.place.name}/{name}" for name in self.files)
            lines.append(f"COPY {copied} {self.place}/")
        lines.append(" ".join(["ENV", *self._assignments()]))
        return "\n".join(lines) + "\n"

    def _assignments(self) -> list[str]:
        return [f"{name}={value}" for name, value in self.variables.items()]


def checked_place(place: Path) -> PurePosixPath:
    """Raises UsageProblem for a folder that not all who read its name read alike."""
    if not PLACE.fullmatch(str(place)) or place == Path("/"):
        raise UsageProblem(
            f"{place} cannot be the folder on the host",
            remedy="name one with --place, by its absolute path of letters, digits and @+=,._-",
        )
    return PurePosixPath(place)


def checked_folder(output: Path) -> Path:
    """The absolute path of a folder that is not there yet, or is empty; raises where none can be written."""
    is_named = output.name not in ("", "..")
    folder = output.parent.resolve() / output.name if is_named else output.resolve()
    if not folder.parent.is_dir():
        raise UsageProblem(f"there is no folder {folder.parent}", remedy="create it, or choose another")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageProblem(f"{output} exists and is no folder", remedy="choose another name")
    if not os.access(folder.parent, os.W_OK) or (folder.exists() and not os.access(folder, os.R_OK)):
        raise CommandError(f"cannot write to the folder {folder.parent}", remedy="choose another")
    if folder.exists() and any(folder.iterdir()):
        raise UsageProblem(f"{output} is not empty", remedy="choose another name, or remove what is in it")
    return folder


def write(deployment: Deployment, folder: Path) -> None:
    """Writes the folder, which checked_folder has given: whoever looks there sees all of it or nothing."""
    beside = folder.with_name(f".malloom-{os.getpid()}-{secrets.token_hex(8)}")
    try:
        beside.mkdir()
        for name, source in deployment.files.items():
            _finish(shutil.copyfile(source, beside / name))
        for name, text in deployment.texts.items():
            (beside / name).write_text(text, encoding="ascii")
            _finish(beside / name)
        # A service runs as another user.
        beside.chmod(0o755)
        beside.rename(folder)
    except OSError as error:
        problem = f"cannot write {folder}: {error.strerror}"
        raise CommandError(problem, remedy="nothing was written") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _finish(path: Path) -> None:
    path.chmod(0o644)
    with path.open("rb") as file:
        os.fsync(file.fileno())
