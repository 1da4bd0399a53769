"""What libraries need of the host that they are brought to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

from malloom.launch.elf_file import read_elf

C_LIBRARY = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util))\.so\.\d")
"""The parts of glibc, which every host has."""
VERSION = re.compile(r"GLIBC_(\d+(?:\.\d+)+)")
BY_FEATURE = {"GLIBC_ABI_DT_RELR": "2.36"}
"""What is asked for by another name than a version, and the version that has it."""


@dataclass(frozen=True)
class Needs:
    """`glibc` is the oldest version that will do, empty where none is needed; `libraries` are what else must
    be there."""

    glibc: str
    libraries: tuple[str, ...]


def needs_of(libraries: Mapping[str, Path]) -> Needs:
    """Of all the libraries together, by their names; they have each other."""
    versions = [version for path in libraries.values() for version in _versions(path)]
    needed = {name for path in libraries.values() for name in read_elf(path).needed}
    others = {name for name in needed if not C_LIBRARY.fullmatch(name)} - libraries.keys()
    newest = max(versions, default="", key=lambda version: [int(part) for part in version.split(".")])
    return Needs(newest, tuple(sorted(others)))


def _versions(path: Path) -> Iterator[str]:
    """Those of glibc that a library's symbols ask for."""
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, GNUVerNeedSection):
                for _, auxiliaries in section.iter_versions():
                    for name in (auxiliary.name for auxiliary in auxiliaries):
                        if match := VERSION.fullmatch(name):
                            yield match[1]
                        elif name in BY_FEATURE:
                            yield BY_FEATURE[name]
