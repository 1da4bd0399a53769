"""The general allocators that results are compared with, each with huge pages and without.

Why these, and why so: docs/decisions/peers.md.
"""

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from malloom.errors import CommandError
from malloom.huge_pages import chosen_huge_pages
from malloom.measure import serving

DEFAULT_FOLDER = Path("build/release/peers")
"""Where `make native` puts the allocators that it builds, in the source tree."""
INSTALLED_FOLDER = Path(sys.prefix) / "lib/malloom/allocators"
"""Where `make build` puts them, with the command."""

NEWEST_MIMALLOC = "mimalloc-3.so"
SET_BY_USERS = re.compile(r"LD_PRELOAD|GLIBC_TUNABLES|_?(RJEM_)?MALLOC_\w+|MIMALLOC_\w+|TCMALLOC_\w+|MALLOOM")
"""Variables that choose an allocator or change one."""


@dataclass(frozen=True)
class Version:
    """`number` is what the library says of itself, `build` the package or the source that it comes from."""

    number: str
    build: str


class Way(StrEnum):
    """How an allocator is set. What it is by default where it has no setting, else without huge pages."""

    plain = ""
    huge = "huge"
    """Asking for huge pages."""
    early = "early"
    """Giving memory back to the system as soon as it can."""


@dataclass(frozen=True)
class Known:
    """An allocator that malloom can run a program under. `library` is what the loader preloads, None for the
    C library's own; where `is_built` it is a file that malloom's source tree builds.

    `small_pages`, `huge_pages` and `early_return` are the variables of each Way; where it has no such
    setting, the first is empty and the others None.
    """

    name: str
    library: str | None
    small_pages: Mapping[str, str]
    huge_pages: Mapping[str, str] | None
    early_return: Mapping[str, str] | None
    is_built: bool = False
    is_peer: bool = True
    """Whether every suite is measured with it; others are there for `malloom optimize` alone."""


KNOWN = (
    # Without the variable it takes no huge pages: that is how its users have it.
    Known(
        "glibc",
        None,
        {},
        {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
        # Its default, which no longer grows with what the program frees once it is set.
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"},
    ),
    # A later 2.x calls it MIMALLOC_ALLOW_LARGE_OS_PAGES, which 2.0.9 does not know.
    Known(
        "mimalloc 2",
        "libmimalloc.so.2",
        {"MIMALLOC_LARGE_OS_PAGES": "0"},
        {"MIMALLOC_LARGE_OS_PAGES": "1"},
        {"MIMALLOC_LARGE_OS_PAGES": "0", "MIMALLOC_DECOMMIT_DELAY": "0"},
    ),
    Known(
        "mimalloc",
        NEWEST_MIMALLOC,
        {"MIMALLOC_ALLOW_THP": "0"},
        {"MIMALLOC_ALLOW_THP": "1"},
        {"MIMALLOC_ALLOW_THP": "0", "MIMALLOC_PURGE_DELAY": "0"},
        is_built=True,
    ),
    Known(
        "jemalloc",
        "libjemalloc.so.2",
        {"MALLOC_CONF": "thp:default"},
        {"MALLOC_CONF": "thp:always"},
        {"MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"},
    ),
    Known(
        "tcmalloc",
        "libtcmalloc_minimal.so.4",
        {},
        None,
        {"TCMALLOC_AGGRESSIVE_DECOMMIT": "1"},
    ),
    Known(
        "jemalloc 5.3.1",
        "jemalloc-5.3.1.so",
        {"MALLOC_CONF": "thp:default"},
        {"MALLOC_CONF": "thp:always"},
        {"MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"},
        is_built=True,
        is_peer=False,
    ),
    Known("snmalloc", "snmalloc.so", {}, None, None, is_built=True, is_peer=False),
)
"""All of them; the C library's comes first."""

FAULTS = {
    "mimalloc 2.0.9": "gives some objects a smaller alignment than the 256 bytes or more that they want",
    "snmalloc 0.7.6": "may hang where one thread of several forks",
}
"""What is known to go wrong with some versions, by Allocator.titled."""


@dataclass(frozen=True)
class Allocator:
    """A general allocator that is there: `library` is what is preloaded, None for the C library's own, and
    `file` the library's path."""

    known: Known
    library: str | None
    version: Version
    file: str = ""

    @property
    def name(self) -> str:
        return self.known.name

    @property
    def titled(self) -> str:
        """For example `jemalloc 5.3.0`."""
        return f"{_family(self.name)} {self.version.number}"

    @property
    def described(self) -> str:
        """For example `jemalloc 5.3.0 (package libjemalloc2 5.3.0-1)`."""
        return f"{self.titled} ({self.version.build})"


@dataclass(frozen=True)
class Setting:
    """One way to run a program under a general allocator: `variables` are what sets it."""

    name: str
    allocator: Allocator
    variables: Mapping[str, str]
    way: Way = Way.plain

    @property
    def environment(self) -> Mapping[str, str]:
        """What it adds to the environment of a program that preloads nothing else."""
        return {**_preloaded(self.allocator.library), **self.variables}

    @property
    def huge(self) -> bool:
        return self.way is Way.huge

    @property
    def described(self) -> str:
        """The allocator and the variable that was set, as a table's legend has it."""
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        return ", ".join([self.allocator.described, *variables])


def every_setting(folder: Path = DEFAULT_FOLDER) -> dict[str, Setting]:
    """All settings by name that suites are measured with: `glibc`, `glibc huge` and so on; `mimalloc` is the
    newest, `mimalloc 2` Debian's.

    `folder` has the allocators that malloom's source tree builds. Raises CommandError where an allocator is
    missing or does not serve a program's malloc.
    """
    ways = (Way.plain, Way.huge)
    return {each.name: each for allocator in allocators(folder) for each in settings_of(allocator, ways)}


def allocators(folder: Path = DEFAULT_FOLDER) -> tuple[Allocator, ...]:
    """As every_setting, which has them with huge pages and without."""
    return tuple(allocator_of(known, folder) for known in KNOWN if known.is_peer)


def installed(folders: Sequence[Path]) -> tuple[list[Allocator], dict[str, str]]:
    """All that are there, those that are built in the first of the folders that has them; and why each other
    is not, by name."""
    found, missing = [], {}
    for known in KNOWN:
        there = [folder for folder in folders if known.is_built and (folder / str(known.library)).is_file()]
        try:
            found.append(allocator_of(known, there[0] if there else folders[0]))
        except CommandError as error:
            missing[known.name] = str(error)
    return found, missing


def settings_of(allocator: Allocator, ways: Iterable[Way] = tuple(Way)) -> list[Setting]:
    """Those of the ways that the allocator has."""
    known = allocator.known
    variables = {Way.plain: known.small_pages, Way.huge: known.huge_pages, Way.early: known.early_return}
    return [
        Setting(f"{known.name} {way}".rstrip(), allocator, chosen, way)
        for way in ways
        if (chosen := variables[way]) is not None
    ]


def without_settings_of_users() -> list[str]:
    """Takes the variables that choose an allocator or change one out of this process, so that no comparison
    has them; their names."""
    found = [name for name in os.environ if SET_BY_USERS.fullmatch(name)]
    for name in found:
        del os.environ[name]
    return found


def system_huge_pages() -> str:
    """To whom the kernel gives huge pages: `always` to all, `madvise` to who asks, `never` to none."""
    return chosen_huge_pages() or "never"


def huge_pages_remark(system: str) -> str:
    """What a table must say where the kernel makes a setting other than its name; empty with `madvise`."""
    return {
        "always": "the kernel gives huge pages to all that do not refuse them (always); only mimalloc 3 does",
        "never": "the kernel gives huge pages to nobody (never): no setting has them",
    }.get(system, "")


def version_of(family: str, library: str | None) -> Version:
    """Asked of the library itself, in a process whose malloc it serves.

    Raises CommandError where another allocator serves that process: the loader passes over what is missing.
    """
    found = _serving(library)
    if found["name"] != family:
        raise CommandError(
            f"{family} is not there: with {library} preloaded, {found['name']} serves malloc",
            remedy="install what setup/debian-packages.txt lists, or run 'make native'",
        )
    return Version(found["version"], _build(found))


def preloaded_file(library: str) -> str:
    """The file that serves malloc where the loader preloads a library by that name; the C library's where
    there is none. Raises CommandError where no process starts so."""
    return _serving(library)["file"]


def allocator_of(known: Known, folder: Path) -> Allocator:
    """What is there of a known allocator, which is in the folder where it is built. Raises CommandError as
    every_setting."""
    library = _built(folder / str(known.library)) if known.is_built else known.library
    version = version_of(_family(known.name), library)
    return Allocator(known, library, version, _serving(library)["file"] if library else "")


def _family(name: str) -> str:
    return name.partition(" ")[0]


def _built(library: Path) -> str:
    if not library.is_file():
        raise CommandError(
            f"there is no {library}",
            remedy="run 'make native' in malloom's source tree, and measure from there",
        )
    path = str(library.resolve())
    if " " in path or ":" in path:
        remedy = "put malloom's source tree into a folder without blanks and colons"
        raise CommandError(f"the loader cannot preload {path}", remedy=remedy)
    return path


def _preloaded(library: str | None) -> dict[str, str]:
    return {} if library is None else {"LD_PRELOAD": library}


@functools.cache
def _serving(library: str | None) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment = {**others, **_preloaded(library)}
    command = [sys.executable, "-I", "-S", serving.__file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"Python does not run with {library} preloaded: {done.stderr.strip()}")
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _build(found: Mapping[str, str]) -> str:
    if "built_from" in found:
        return f"built from {found['built_from']}"
    return _package(Path(found["file"])) or found["file"]


def _package(file: Path) -> str:
    """`package NAME VERSION` of what has installed a file; empty where dpkg does not know."""
    path = str(file.resolve())
    # Packages call a file by its path of before /lib became a link to /usr/lib, or by that of after.
    owners = _output("dpkg-query", "--search", path, path.removeprefix("/usr"))
    if not owners:
        return ""
    owner = owners.splitlines()[0].rpartition(": ")[0]
    return "package " + _output("dpkg-query", "--show", "--showformat=${Package} ${Version}", owner)


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""
