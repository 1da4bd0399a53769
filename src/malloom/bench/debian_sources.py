"""Programs' sources as their authors released them, from Debian's archive: fetched by apt-get, checked, and
kept in malloom's cache folder."""

import fcntl
import hashlib
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from malloom.cache.calibration_file import cache_folder
from malloom.errors import CommandError
from malloom.measure.process import last_line
from malloom.measure.valgrind import installed

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LONGEST = 900.0
"""Seconds that apt-get may take for its lists, or for an archive."""


@dataclass(frozen=True)
class Package:
    """A source package of Debian's; of it the authors' archive, which the hash is of."""

    name: str
    version: str
    archive: str
    sha256: str


def archive_of(package: Package, archives: str = "") -> Path:
    """The authors' archive, fetched where the cache folder has none: from `archives`, lines for apt; where
    there are none, from those of Debian's that the machine's packages come from.

    Raises CommandError where it cannot be had, or is another than it should be.
    """
    folder = _sources_folder()
    kept = folder / package.archive
    with _alone(folder):
        if not kept.is_file() or _hash_of(kept) != package.sha256:
            _fetch(package, archives, folder, kept)
    return kept


def unpack(package: Package, target: Path, archives: str = "") -> None:
    """Makes the folder `target` of the archive's one folder. Raises CommandError as `archive_of` does."""
    archive = archive_of(package, archives)
    with (
        tempfile.TemporaryDirectory(prefix="unpacked-", dir=target.parent) as folder,
        tarfile.open(archive) as opened,
    ):
        opened.extractall(folder, filter="data")
        (only,) = Path(folder).iterdir()
        only.rename(target)


def _sources_folder() -> Path:
    kept = cache_folder()
    if kept is None:
        raise CommandError("there is no cache folder for sources", remedy="set XDG_CACHE_HOME or HOME")
    folder = kept / "sources"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Other processes wait: whoever comes second finds what the first one has fetched."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _hash_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _fetch(package: Package, archives: str, folder: Path, kept: Path) -> None:
    """Into a folder beside the archives first: an archive is there as a whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="fetched-", dir=folder) as fetched:
        _ask(archives, package, folder / "apt", Path(fetched))
        archive = Path(fetched) / package.archive
        found = _hash_of(archive) if archive.is_file() else "nothing"
        if found != package.sha256:
            raise CommandError(
                f"Debian's {package.name} {package.version} is not the one expected: {package.archive} has "
                f"the SHA-256 sum {found}, not {package.sha256}"
            )
        archive.replace(kept)


def _ask(archives: str, package: Package, lists: Path, folder: Path) -> None:
    """With package lists of malloom's own, which need no root; they are read anew where they lack it."""
    wanted = ["source", "--download-only", "--tar-only", f"{package.name}={package.version}"]
    if list(lists.glob("lists/*_Sources*")) and _apt_get(lists, wanted, folder).returncode == 0:
        return
    (lists / "lists/partial").mkdir(parents=True, exist_ok=True)
    known = archives or _archives_of_machine()
    for attempt in (known, *_each_alone(known)):
        (lists / "sources.list").write_text(attempt, encoding="utf-8")
        for arguments in (["update"], wanted):
            done = _apt_get(lists, arguments, folder)
            if done.returncode != 0:
                break
        else:
            return
    raise CommandError(
        f"the sources of {package.name} {package.version} cannot be fetched from Debian: "
        f"{last_line(done.stderr) or 'apt-get failed'}"
    )


def _each_alone(archives: str) -> Sequence[str]:
    """Two archives may list a version, and one of them lack its files: apt asks only one of them."""
    lines = archives.splitlines(keepends=True)
    return lines if len(lines) > 1 else ()


def _archives_of_machine() -> str:
    """Their sources. Raises CommandError where apt has none of Debian's."""
    wanted = ["--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian"]
    command = [installed("apt-get", "apt"), "indextargets", *wanted]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if not told.strip():
        raise CommandError(
            "apt knows no archive of Debian's to fetch sources from", remedy="run 'apt update'"
        )
    return "".join(f"deb-src [signed-by={KEYRING}] {line}\n" for line in sorted({*told.splitlines()}))


def _apt_get(lists: Path, arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    settings = {
        "Dir::Etc::SourceList": lists / "sources.list",
        "Dir::Etc::SourceParts": os.devnull,
        "Dir::State": lists,
        "Dir::State::status": os.devnull,
        "Dir::Cache": lists,
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    command = [installed("apt-get", "apt"), "-qq", *options, *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        raise CommandError(f"'apt-get {arguments[0]}' did not end within {LONGEST:.0f} s") from None
