"""The general allocators that results are compared with, each with huge pages and without.

Why these, and why so: docs/decisions/peers.md.
"""

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.huge_pages import chosen_huge_pages
from malloom.measure import serving

DEFAULT_FOLDER = Path("build/release/peers")
"""Where `make native` puts the allocators that it builds, in the source tree."""

NEWEST_MIMALLOC = "mimalloc-3.so"
HUGE = "huge"
SET_BY_USERS = re.compile(r"LD_PRELOAD|GLIBC_TUNABLES|_?(RJEM_)?MALLOC_\w+|MIMALLOC_\w+|TCMALLOC_\w+|MALLOOM")
"""Variables that choose an allocator or change one."""


@dataclass(frozen=True)
class Version:
    """`number` is what the library says of itself, `build` the package or the source that it comes from."""

    number: str
    build: str


@dataclass(frozen=True)
class Allocator:
    """A general allocator. `library` is what the loader preloads, None for the C library's own.

    `small_pages` and `huge_pages` are the variables with which it asks for none, or for them; where it has no
    such setting, the one is empty and the other None.
    """

    name: str
    library: str | None
    small_pages: Mapping[str, str]
    huge_pages: Mapping[str, str] | None
    version: Version

    @property
    def described(self) -> str:
        """For example `jemalloc 5.3.0 (package libjemalloc2 5.3.0-1)`."""
        return f"{_family(self.name)} {self.version.number} ({self.version.build})"


@dataclass(frozen=True)
class Setting:
    """One way to run a program under a general allocator: `environment` is what it adds to the variables."""

    name: str
    allocator: Allocator
    environment: Mapping[str, str]
    huge: bool

    @property
    def described(self) -> str:
        """The allocator and the variable that was set, as a table's legend has it."""
        chosen = self.allocator.huge_pages if self.huge else self.allocator.small_pages
        variables = [f"{name}={value}" for name, value in (chosen or {}).items()]
        return ", ".join([self.allocator.described, *variables])


def every_setting(folder: Path = DEFAULT_FOLDER) -> dict[str, Setting]:
    """All settings by name: `glibc`, `glibc huge` and so on; `mimalloc` is the newest, `mimalloc 2` Debian's.

    `folder` has the allocators that malloom's source tree builds. Raises CommandError where an allocator is
    missing or does not serve a program's malloc.
    """
    return {setting.name: setting for allocator in allocators(folder) for setting in _settings_of(allocator)}


def allocators(folder: Path = DEFAULT_FOLDER) -> tuple[Allocator, ...]:
    """As every_setting, which has them with huge pages and without."""
    return (
        # Without the variable it takes no huge pages: that is how its users have it.
        _allocator("glibc", None, "GLIBC_TUNABLES", "", "glibc.malloc.hugetlb=1"),
        # A later 2.x calls it MIMALLOC_ALLOW_LARGE_OS_PAGES, which 2.0.9 does not know.
        _allocator("mimalloc 2", "libmimalloc.so.2", "MIMALLOC_LARGE_OS_PAGES", "0", "1"),
        _allocator("mimalloc", _built(folder / NEWEST_MIMALLOC), "MIMALLOC_ALLOW_THP", "0", "1"),
        _allocator("jemalloc", "libjemalloc.so.2", "MALLOC_CONF", "thp:default", "thp:always"),
        _allocator("tcmalloc", "libtcmalloc_minimal.so.4"),
    )


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


def _allocator(
    name: str, library: str | None, variable: str = "", small: str = "", huge: str = ""
) -> Allocator:
    version = version_of(_family(name), library)
    if not variable:
        return Allocator(name, library, {}, None, version)
    return Allocator(name, library, {variable: small} if small else {}, {variable: huge}, version)


def _family(name: str) -> str:
    return name.partition(" ")[0]


def _settings_of(allocator: Allocator) -> list[Setting]:
    preloaded = _preloaded(allocator.library)
    name = allocator.name
    found = [Setting(name, allocator, {**preloaded, **allocator.small_pages}, huge=False)]
    if allocator.huge_pages is not None:
        environment = {**preloaded, **allocator.huge_pages}
        found.append(Setting(f"{name} {HUGE}", allocator, environment, huge=True))
    return found


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
