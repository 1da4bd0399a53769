"""Names, files and lines of frames, from ELF symbols and DWARF line tables.

Frames are looked up module by module, all at once, so that a module is opened once and only those of its
compilation units are decoded that a frame lies in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from malloom import _native
from malloom.profile import NO_MODULE, Module
from malloom.report.lines import find_lines

DEBUG_FOLDER = Path("/usr/lib/debug/.build-id")
"""Where distributions put debug information apart from the files, by build-id."""

Frame = tuple[int, int]
"""(module, offset) as in Contexts.frames."""


@dataclass(frozen=True)
class Place:
    """Where a frame's call stands in the source, as far as it is known."""

    module: str
    """File name of the module; empty where the frame lies in none."""
    offset: int
    function: str = ""
    """Demangled; empty where no symbol covers the frame."""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{Path(self.file).name}:{self.line}" if self.file else ""
        name = self.function or f"{self.module or '?'}+{self.offset:#x}"
        return f"{name} {where}".rstrip()


class Symbols:
    """Places of frames. `notes` says for which modules names are lacking and why."""

    def __init__(self, modules: Sequence[Module], debug_folder: Path = DEBUG_FOLDER) -> None:
        self._modules = modules
        self._debug_folder = debug_folder
        self.notes: list[str] = []

    def places(self, frames: Iterable[Frame]) -> Mapping[Frame, Place]:
        """The place of every frame."""
        offsets: dict[int, set[int]] = {}
        for module, offset in frames:
            offsets.setdefault(module, set()).add(offset)
        places: dict[Frame, Place] = {}
        for module, wanted in offsets.items():
            for place in self._module_places(module, sorted(wanted)):
                places[module, place.offset] = place
        return places

    def _module_places(self, index: int, offsets: list[int]) -> list[Place]:
        if index == NO_MODULE or index >= len(self._modules):
            return [Place("", offset) for offset in offsets]
        module = self._modules[index]
        name = Path(module.path).name
        noted = len(self.notes)
        names: dict[int, str] = {}
        lines: dict[int, tuple[str, int]] = {}
        files = self._files(module)
        for path in files:
            found_names, found_lines = self._read(path, module, offsets)
            names = found_names | names
            lines = found_lines | lines
        if files and not names and len(self.notes) == noted:
            self.notes.append(
                f"{name} has no symbols for its functions; install its -dbgsym, or build with -g"
            )
        return [Place(name, offset, names.get(offset, ""), *lines.get(offset, ("", 0))) for offset in offsets]

    def _files(self, module: Module) -> list[Path]:
        """The files that may tell about a module: its own debug file, then itself."""
        debug = self._debug_folder / module.build_id[:2] / f"{module.build_id[2:]}.debug"
        files = [debug] if module.build_id and debug.is_file() else []
        if Path(module.path).is_file():
            return [*files, Path(module.path)]
        if module.path.startswith("/") and not files:
            self.notes.append(f"{module.path} is not here: its functions have no names")
        return files

    def _read(
        self, path: Path, module: Module, offsets: list[int]
    ) -> tuple[dict[int, str], dict[int, tuple[str, int]]]:
        try:
            with path.open("rb") as file:
                elf = ELFFile(file)
                if module.build_id and build_id_of(elf) != module.build_id:
                    self.notes.append(f"{path} has changed since the recording: its functions have no names")
                    return {}, {}
                return find_functions(elf, offsets), find_lines(elf, offsets)
        except (OSError, ELFError) as problem:
            self.notes.append(f"{path} cannot be read: {problem}")
            return {}, {}


def build_id_of(elf: ELFFile) -> str:
    """The build-id of a file in hexadecimal; empty where it has none."""
    for section in elf.iter_sections():
        if isinstance(section, NoteSection):
            for note in section.iter_notes():
                if note["n_type"] == "NT_GNU_BUILD_ID":
                    return str(note["n_desc"])
    return ""


def find_functions(elf: ELFFile, offsets: list[int]) -> dict[int, str]:
    """The function that the call before each return address lies in, for those that a symbol covers."""
    ranges: list[tuple[int, int, str]] = []
    for name in (".symtab", ".dynsym"):
        table = elf.get_section_by_name(name)
        if isinstance(table, SymbolTableSection):
            ranges += [
                (symbol["st_value"], symbol["st_value"] + symbol["st_size"], symbol.name)
                for symbol in table.iter_symbols()
                if symbol["st_info"]["type"] in {"STT_FUNC", "STT_GNU_IFUNC"} and symbol["st_value"] != 0
            ]
    ranges.sort()
    starts = [start for start, _, _ in ranges]
    functions: dict[int, str] = {}
    for offset in offsets:
        nearest = bisect_right(starts, offset - 1) - 1
        if nearest >= 0 and offset - 1 < ranges[nearest][1]:
            functions[offset] = _native.demangle(ranges[nearest][2])
    return functions
