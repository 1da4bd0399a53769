"""The types of the kinds of objects in a table of fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError
from elftools.elf.elffile import ELFFile

from malloom.report.debug_files import DEBUG_ROOT, find_debug_information
from malloom.report.elf_symbols import build_id_of
from malloom.report.names import demangle
from malloom.sites.keys import Call
from malloom.sites.table import NO_MODULE, Frame, SiteTable
from malloom.types.asked import Asked, Found
from malloom.types.entries import RUST, Entry, language_of, parameters_of, size_of, type_name
from malloom.types.evidence import (
    first_found,
    gives_it,
    is_library,
    is_new,
    of_held,
    of_size,
    passes_on,
)
from malloom.types.generics import confirms, is_for_another, is_inner
from malloom.types.members import Member, members_of
from malloom.types.names import readable
from malloom.types.rust_calls import STARTED_BY, is_meant
from malloom.types.units import Scope, Units

MOST_FRAMES = 24
"""Of a chain that are asked, from the innermost on: a container may lie a dozen calls above the heap."""

C_LIBRARY = ("libc.so", "libc-", "ld-linux", "ld-musl")
MAIN = "DW_AT_main_subprogram"
NOWHERE = Call("", "", 0)
CHARACTERS = re.compile(r"(?:[\w:&*]+ )?std::__cxx11::basic_string<char\b")
"""What begins the names of the C++ library's functions that make a string's characters."""


@dataclass(frozen=True)
class ObjectType:
    """What the objects of a kind are."""

    name: str
    size: int
    """Bytes of one: an object may be an array of several."""
    how: str
    """How it is known."""
    is_sure: bool
    """Whether the evidence names the type; else the type merely fits, and is shown with a mark."""
    members: tuple[Member, ...]
    """None where it is no structure."""
    at: Call = NOWHERE
    """The call that told: the caller of a wrapper, or the function of a container."""
    has_more: bool = False
    """Whether an object is one of this type with something behind it, and no array."""

    def elements(self, size: int) -> int:
        """How many an object of so many bytes has."""
        return max(size // self.size, 1) if self.size and not self.has_more else 1

    @property
    def marked(self) -> str:
        """The name as it is shown: with a question mark where it is a guess."""
        return self.name if self.is_sure else f"{self.name}?"


class ObjectTypes:
    """Types of the objects that call sites make. A context: what was opened is kept until its end."""

    def __init__(self, sites: SiteTable, debug_root: Path = DEBUG_ROOT) -> None:
        self._sites = sites
        self._debug_root = debug_root
        self._files = ExitStack()
        self._units: dict[int, Units | None] = {}
        self._built: dict[int, int] = {}
        self._found: dict[tuple[tuple[int, ...], int | None], ObjectType | None] = {}

    def __enter__(self) -> ObjectTypes:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def of(self, frames: Sequence[int], size: int | None) -> ObjectType | None:
        """What a context makes of this size (None: of several sizes); `frames` index the table's, innermost
        first. None where nothing tells."""
        key = tuple(frames[:MOST_FRAMES]), size
        if key not in self._found:
            self._found[key] = self._looked_up(key[0], size)
        return self._found[key]

    def _looked_up(self, frames: tuple[int, ...], size: int | None) -> ObjectType | None:
        # What pyelftools raises for damage is not its own errors alone: a KeyError for an abbreviation, an
        # AssertionError for a form. Without types a report is still one.
        try:
            found = self._first(frames, size)
            return _described(*found) if found is not None else self._by_symbol(frames, size)
        except (
            ELFError,
            DWARFError,
            KeyError,
            AttributeError,
            ValueError,
            AssertionError,
            IndexError,
            TypeError,
        ):
            return None

    def _by_symbol(self, frames: tuple[int, ...], size: int | None) -> ObjectType | None:
        """What the name of a function says that no debug information tells of: the C++ library's strings."""
        calls = [call for number in frames[:1] for call in self._sites.frames[number].site.calls]
        if calls and CHARACTERS.match(demangle(calls[0].function)):
            how = "characters of std::string"
            return ObjectType("char", 1, how, is_sure=True, members=(), at=calls[0])
        return None

    def _first(self, frames: tuple[int, ...], size: int | None) -> tuple[Found, Call] | None:
        """What the first rule says that knows, and the call of which it knows."""
        chain: list[tuple[Frame, Asked]] = []
        shared: tuple[Found, Call] | None = None
        is_given, inner = True, ""
        for frame, asked in self._chain(frames, size):
            chain.append((frame, asked))
            found = first_found(asked)
            if found is not None and (asked.is_shared or not is_given):
                found = replace(found, is_sure=False)
            if found is not None and shared is None and (found.is_sure or not found.is_shared):
                return found, asked.call
            if shared is not None and found is not None and confirms(found, shared[0]):
                return found, asked.call
            shared = shared or ((found, asked.call) if found is not None else None)
            if not passes_on(asked):
                break
            is_given = is_given and gives_it(asked, inner)
            inner = asked.scope.name
        return shared or (self._by_size(chain) if chain else None)

    def _chain(self, frames: tuple[int, ...], size: int | None) -> Iterator[tuple[Frame, Asked]]:
        """The functions that the call stands in, innermost first, as far as they are known."""
        is_direct = is_only = True
        all_frames = [self._sites.frames[number] for number in frames]
        for frame, caller in zip_longest(all_frames, all_frames[1:]):
            levels = list(self._levels(frame, caller, size))
            if not levels and not _is_library_alone(frame):
                return
            is_direct = is_direct and (bool(levels) or all(map(is_new, frame.site.calls)))
            is_only = is_only and (bool(levels) or all(map(is_inner, frame.site.calls)))
            for asked in levels:
                is_own = is_new(asked.call) or not is_library(asked.call)
                last = replace(asked, is_direct=is_direct and is_own, is_inner=is_only)
                yield frame, last
                is_direct = last.is_direct
                is_only = is_only and (is_own or is_inner(last.call)) and not is_for_another(last)

    def _by_size(self, chain: Sequence[tuple[Frame, Asked]]) -> tuple[Found, Call] | None:
        """The last guesses; by the size alone in no C library, whose structures are nobody's to change."""
        name = Path(self._sites.modules[chain[-1][0].module].path).name
        *others, last = [asked for _, asked in chain]
        rules = (of_held,) if name.startswith(C_LIBRARY) else (of_held, of_size)
        # Where the outermost function tells nothing, the object may be a wrapper's own block.
        for asked in (last, *others):
            if (found := first_found(asked, rules if asked is last else (of_held,))) is not None:
                return found, asked.call
        return None

    def _levels(self, frame: Frame, caller: Frame | None, size: int | None) -> Iterator[Asked]:
        """The functions that a call stands in, innermost first."""
        units = self._units_of(frame.module)
        if units is None:
            return
        address = frame.site.offset - 1
        scopes, calls = units.scopes(address), frame.site.calls
        # The two readers count alike from the outermost function on.
        level = min(len(scopes), len(calls))
        if not level:
            return
        is_shared = units.is_shared(address, self._meant_by(caller)) and not (
            caller is not None and self._is_named(scopes[-1], frame, caller)
        )
        for at, (scope, call) in enumerate(zip(scopes[-level:], calls[-level:], strict=True)):
            callee = frame.site.callee if at == 0 and level == len(calls) else ""
            around = tuple(zip(scopes[-level:][at:], calls[-level:][at:], strict=True))
            built = self._built[frame.module]
            yield Asked(scope, call, address, callee, size, True, is_shared, around=around, built=built)

    def _is_named(self, function: Scope, frame: Frame, caller: Frame) -> bool:
        """Rust: whether the text of the caller says that this function was meant, of which there is one."""
        if language_of(function.entry) != RUST or parameters_of(function.entry) or not caller.site.calls:
            return False
        called, calls = frame.site.calls[-1].function, caller.site.calls
        if MAIN in function.entry.attributes:
            return any(STARTED_BY in call.function for call in calls)
        built = min(self._built[frame.module], self._built.get(caller.module, 0))
        return is_meant(called, calls[0], frame.site.calls[-1].file, built)

    def _meant_by(self, caller: Frame | None) -> Entry | None:
        """The function that the source of a caller calls there, where debug information tells."""
        units = self._units_of(caller.module) if caller is not None else None
        if caller is None or units is None:
            return None
        return units.function_meant(caller.site.offset - 1)

    def _units_of(self, module: int) -> Units | None:
        if module not in self._units:
            known = module != NO_MODULE
            addresses = {frame.site.offset - 1 for frame in self._sites.frames if frame.module == module}
            self._units[module] = self._opened(module, addresses) if known else None
        return self._units[module]

    def _opened(self, number: int, addresses: set[int]) -> Units | None:
        module = self._sites.modules[number]
        found = find_debug_information(Path(module.path), module.build_id, self._debug_root)
        if found is None or found.lies_apart:
            return None
        try:
            elf = ELFFile(self._files.enter_context(found.path.open("rb")))
            if module.build_id and build_id_of(elf) != module.build_id:
                return None
            self._built[number] = _written(Path(module.path), found.path)
            return Units(elf, addresses)
        except (OSError, ELFError, DWARFError, KeyError, AttributeError, ValueError, AssertionError):
            return None


def _written(*files: Path) -> int:
    """When the oldest that is there was written: debug information is taken out of a program later on."""
    return min((file.stat().st_mtime_ns for file in files if file.exists()), default=0)


def _is_library_alone(frame: Frame) -> bool:
    """Whether a language's library calls there, of which no debug information tells."""
    return bool(frame.site.calls) and all(map(is_library, frame.site.calls))


def _described(found: Found, at: Call) -> ObjectType:
    name, size = found.named if found.kind is None else (type_name(found.kind), size_of(found.kind))
    members, shown = members_of(found.kind), readable(name)
    return ObjectType(shown, size, found.how, found.is_sure, members, at, found.has_more)
