"""Which files tell about the functions and lines of a program or a library."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from malloom.input_file import is_there, opened_ordinary
from malloom.report.source_calls import lies_apart

DEBUG_ROOT = Path("/usr/lib/debug")
"""Where distributions put debug information apart from the files."""


@dataclass(frozen=True)
class DebugInformation:
    """A file with debug information."""

    path: Path
    lies_apart: bool
    """Whether most of it is in further files (-gsplit-dwarf), which are not read."""


def debug_files(path: Path, build_id: str, root: Path = DEBUG_ROOT) -> list[Path]:
    """The files beside the one at `path` that tell about it: by its build-id, and by the name it links to."""
    by_build_id = root / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    files = [by_build_id] if build_id and is_there(by_build_id) else []
    linked = next(_linked_files(path, root), None)
    return [*files, linked] if linked and linked not in files else files


def find_debug_information(path: Path, build_id: str, root: Path = DEBUG_ROOT) -> DebugInformation | None:
    """The file that files and lines come from; None where a report can show none."""
    for file in (*debug_files(path, build_id, root), path):
        try:
            with opened_ordinary(file) as stream:
                elf = ELFFile(stream)
                if elf.get_section_by_name(".debug_info") is not None:
                    return DebugInformation(file, lies_apart(elf))
        except Exception:  # as in malloom.sites.build.read_build
            continue
    return None


def _linked_files(path: Path, root: Path) -> Iterator[Path]:
    """The files that .gnu_debuglink means: those with the name and the CRC that it gives."""
    try:
        with opened_ordinary(path) as file:
            section = ELFFile(file).get_section_by_name(".gnu_debuglink")
            link = section.data() if section else b""
    except Exception:  # as in malloom.sites.build.read_build
        return
    name, checksum = link.partition(b"\0")[0].decode(errors="replace"), link[-4:]
    folder = path.resolve().parent
    for place in (folder, folder / ".debug", root / folder.relative_to("/")):
        found = place / name
        if name and is_there(found) and _crc(found) == int.from_bytes(checksum, "little"):
            yield found


def _crc(path: Path) -> int:
    """The checksum of .gnu_debuglink; of a file that cannot be read one that no other has."""
    try:
        with opened_ordinary(path) as file:
            value = 0
            while part := file.read(1 << 20):
                value = zlib.crc32(part, value)
            return value
    except OSError:
        return -1
