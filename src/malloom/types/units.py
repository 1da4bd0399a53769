"""Units of debug information, and the functions around a call: the one that was called, then those that the
compiler has put into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile

from malloom import _native
from malloom.sites.build import debug_sections
from malloom.types.entries import HOLDERS, STRUCTURES, Entry, bare, name_of, same, text_of, type_of

BLOCK = "DW_TAG_lexical_block"
VARIABLES = {"DW_TAG_variable", "DW_TAG_formal_parameter"}
NAMED_TYPES = STRUCTURES | {"DW_TAG_typedef", "DW_TAG_base_type", "DW_TAG_enumeration_type"}
LARGEST_UNIT = 16 << 20
"""Bytes of .debug_info: a larger unit would take gigabytes as objects of Python, and is left out."""


@dataclass(frozen=True)
class Scope:
    """A function, or a copy of one that was inlined."""

    entry: Entry
    unit: Unit

    @property
    def name(self) -> str:
        return name_of(self.entry)

    def variables(self) -> Iterator[Entry]:
        """All that the function declares, parameters too, wherever in it. Some twice."""
        for each in same(self.entry):
            yield from (part for part in _parts(each) if part.tag in VARIABLES)

    def parts(self) -> Iterator[Entry]:
        """All that lies in the function and its blocks, but not in what is inlined there."""
        return _parts(self.entry)


def _parts(entry: Entry) -> Iterator[Entry]:
    for child in entry.iter_children():
        yield child
        if child.tag == BLOCK:
            yield from _parts(child)


class Units:
    """The units around some addresses of a file. Entries are read when they are asked for, and kept."""

    def __init__(self, elf: ELFFile, addresses: set[int]) -> None:
        self._dwarf: Any = elf.get_dwarf_info()
        self._units: dict[int, Unit] = {}
        wanted = sorted(addresses)
        counts, *_, entries = _native.call_places(debug_sections(elf), np.array(wanted, dtype=np.uint64))
        ends, offsets = np.cumsum(counts, dtype=np.int64).tolist(), entries.tolist()
        self._around = {
            address: offsets[end - count : end]
            for address, end, count in zip(wanted, ends, counts.tolist(), strict=True)
        }

    def scopes(self, address: int) -> list[Scope]:
        """The functions around one of the addresses, innermost first; none where no function covers it."""
        return [self._scope(offset) for offset in self._around[address]]

    def _scope(self, offset: int) -> Scope:
        entry = self._dwarf.get_DIE_from_refaddr(offset)
        unit = self._units.setdefault(entry.cu.cu_offset, Unit(entry.cu))
        return Scope(entry, unit)


class Unit:
    """What one source file became."""

    def __init__(self, unit: Any) -> None:
        self._top = unit.get_top_DIE()
        self._is_too_large = unit["unit_length"] > LARGEST_UNIT

    @cached_property
    def _held(self) -> list[Entry]:
        """All that lies in namespaces and classes, with these."""
        return [] if self._is_too_large else list(_held(self._top))

    @cached_property
    def types(self) -> dict[str, list[Entry]]:
        """All types with a name that are whole, by that name without namespaces and template arguments."""
        found: dict[str, list[Entry]] = {}
        for entry in self._held:
            name = text_of(entry, "DW_AT_name").partition("<")[0] if entry.tag in NAMED_TYPES else ""
            if name and "DW_AT_declaration" not in entry.attributes:
                found.setdefault(name, []).append(entry)
        return found

    @cached_property
    def variables(self) -> dict[str, Entry]:
        """Those outside functions, by their names."""
        return {text_of(entry, "DW_AT_name"): entry for entry in self._held if entry.tag in VARIABLES}

    @cached_property
    def heirs(self) -> dict[int, list[Entry]]:
        """Of each class, by its offset, those that derive from it."""
        found: dict[int, list[Entry]] = {}
        for entry in (each for alike in self.types.values() for each in alike if each.tag in STRUCTURES):
            for child in entry.iter_children():
                if child.tag == "DW_TAG_inheritance" and (base := bare(type_of(child))) is not None:
                    found.setdefault(base.offset, []).append(entry)
        return found


def _held(holder: Entry) -> Iterator[Entry]:
    for child in holder.iter_children():
        yield child
        if child.tag in HOLDERS:
            yield from _held(child)
