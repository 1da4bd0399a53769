"""A call that asks for memory, as rules are asked of it, and what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from malloom.sites.keys import Call
from malloom.types.entries import Entry, is_structure, size_of
from malloom.types.source_text import is_newer
from malloom.types.units import Scope


@dataclass(frozen=True)
class Asked:
    """A call that asks for memory, at one of the functions that it stands in."""

    scope: Scope
    call: Call
    address: int
    callee: str
    """That the machine's call goes to, as the linker knows it; empty where the call is inlined further."""
    size: int | None
    """Bytes that were asked for; None: of several sizes."""
    is_direct: bool
    """Whether no function of a language's library lies between: then the statement is about the object."""
    is_shared: bool = False
    """Whether the code may be that of several functions, which was found to be the same for all."""
    is_inner: bool = True
    """Whether no function lies between that may have asked for something else than the container that calls
    there (Rust)."""
    around: tuple[tuple[Scope, Call], ...] = ()
    """This function and those that it is inlined in, innermost first, each with its call."""
    built: int = 0
    """When the program or library was written (st_mtime_ns): what a newer source says is not certain."""

    @property
    def is_edited(self) -> bool:
        """Whether the source is there and is newer than the program, so that it may say something else."""
        return is_newer(self.call.file, self.built)

    def fits(self, kind: Entry | None) -> bool:
        """Whether the object may be one of this type, or an array of such."""
        each = size_of(kind)
        return each != 0 and (self.size is None or (self.size >= each and self.size % each == 0))

    def is_longer(self, kind: Entry | None) -> bool:
        """Whether it may be one structure of this type with something behind it."""
        return is_structure(kind) and self.size is not None and 0 < size_of(kind) < self.size

    def is_one(self, kind: Entry | None) -> bool:
        return self.size is not None and size_of(kind) == self.size


@dataclass(frozen=True)
class Found:
    """A type, and how it is known."""

    kind: Entry | None
    how: str
    is_sure: bool = False
    named: tuple[str, int] = ("void", 0)
    """Name and size of what has no entry."""
    is_shared: bool = False
    """Whether it is one of several types that the same code may be for."""
    has_more: bool = False
    """Whether something lies behind the one object of this type."""


Rule = Callable[[Asked], Iterator[Found]]
