"""Names, files and lines of frames, from ELF symbols and debug information.

Frames are looked up module by module, all at once, so that a module is opened once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from malloom.input_file import is_there
from malloom.profile import NO_MODULE, Module
from malloom.report.debug_files import DEBUG_ROOT, debug_files
from malloom.report.elf_symbols import build_id_of, find_functions
from malloom.report.names import demangle
from malloom.report.source_calls import SourceCall, UnreadableError, find_calls, lies_apart

Frame = tuple[int, int]
"""(module, offset) as in Contexts.frames."""


@dataclass(frozen=True)
class Place:
    """Where a call stands in the source, as far as it is known."""

    module: str
    """File name of the module; empty where the frame lies in none."""
    offset: int
    function: str = ""
    """Demangled; empty where no symbol covers the frame."""
    file: str = ""
    line: int = 0
    inlined: bool = False
    """Whether the compiler has put the function into its caller, which is the next place."""

    @property
    def where(self) -> str:
        """Name of the file, and line; empty where they are not known."""
        return f"{Path(self.file).name}:{self.line}" if self.file and self.line else ""

    def __str__(self) -> str:
        name = self.function or f"{self.module or '?'}+{self.offset:#x}"
        return f"{name} {self.where}".rstrip()


class Symbols:
    """Places of frames. `notes` says for which modules names are lacking and why."""

    def __init__(self, modules: Sequence[Module], debug_root: Path = DEBUG_ROOT) -> None:
        self._modules = modules
        self._debug_root = debug_root
        self.notes: list[str] = []

    def places(self, frames: Iterable[Frame]) -> Mapping[Frame, list[Place]]:
        """The places of every frame, innermost first: one, and one more for each function that is inlined."""
        offsets: dict[int, set[int]] = {}
        for module, offset in frames:
            offsets.setdefault(module, set()).add(offset)
        places: dict[Frame, list[Place]] = {}
        for module, wanted in offsets.items():
            for offset, found in self._module_places(module, sorted(wanted)).items():
                places[module, offset] = found
        return places

    def _module_places(self, index: int, offsets: list[int]) -> dict[int, list[Place]]:
        if index == NO_MODULE or index >= len(self._modules):
            return {offset: [Place("", offset)] for offset in offsets}
        module = self._modules[index]
        name = Path(module.path).name
        noted = len(self.notes)
        names: dict[int, str] = {}
        calls: dict[int, list[SourceCall]] = {}
        files = self._files(module)
        for path in files:
            found_names, found_calls = self._read(path, module, offsets)
            names = found_names | names
            calls = found_calls | calls
        if files and not names and len(self.notes) == noted:
            self.notes.append(
                f"{name} has no symbols for its functions; install its -dbgsym, or build with -g"
            )
        return {offset: _places(name, offset, names.get(offset, ""), calls.get(offset)) for offset in offsets}

    def _files(self, module: Module) -> list[Path]:
        """The files that may tell about a module: its debug files, then itself."""
        files = debug_files(Path(module.path), module.build_id, self._debug_root)
        if is_there(Path(module.path)):
            return [*files, Path(module.path)]
        if module.path.startswith("/") and not files:
            self.notes.append(f"{module.path} is not here: its functions have no names")
        return files

    def _read(
        self, path: Path, module: Module, offsets: list[int]
    ) -> tuple[dict[int, str], dict[int, list[SourceCall]]]:
        try:
            with path.open("rb") as file:
                elf = ELFFile(file)
                if module.build_id and build_id_of(elf) != module.build_id:
                    self.notes.append(f"{path} has changed since the recording: its functions have no names")
                    return {}, {}
                names = find_functions(elf, offsets)
                calls = self._calls(path, elf, offsets)
                if names.keys() - calls.keys() and lies_apart(elf):
                    self.notes.append(
                        f"{path} has its debug information in other files, which are not read: its functions "
                        "have no lines; build without -gsplit-dwarf"
                    )
                return names, calls
        except Exception as problem:  # as in malloom.sites.build.read_build
            self.notes.append(f"{path} cannot be read: {problem}")
            return {}, {}

    def _calls(self, path: Path, elf: ELFFile, offsets: list[int]) -> dict[int, list[SourceCall]]:
        """As find_calls; none where the debug information is damaged or too new, as names need none of it."""
        try:
            return find_calls(elf, offsets)
        except UnreadableError as problem:
            self.notes.append(f"{path} gives no lines: its debug information cannot be read: {problem}")
            return {}


def _places(module: str, offset: int, symbol: str, calls: list[SourceCall] | None) -> list[Place]:
    """The places of one frame.

    The symbol names the function that was called: debug information has one entry for a function and the part
    of it that the compiler has moved away (.cold), and may give either's name.
    """
    if not calls:
        return [Place(module, offset, demangle(symbol))]
    inlined = [
        Place(module, offset, demangle(call.function), call.file, call.line, inlined=True)
        for call in calls[:-1]
    ]
    own = calls[-1]
    return [*inlined, Place(module, offset, demangle(symbol or own.function), own.file, own.line)]
