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
from malloom.report.elf_symbols import FUNCTIONS, SYMBOL
from malloom.sites.build import debug_sections
from malloom.types.entries import (
    HOLDERS,
    STRUCTURES,
    Entry,
    bare,
    name_of,
    number_of,
    qualified,
    same,
    text_of,
    type_of,
)
from malloom.types.optimised import unoptimised_units

POINTER = "DW_TAG_pointer_type"
FUNCTION = "DW_TAG_subprogram"

BLOCK = "DW_TAG_lexical_block"
VARIABLES = {"DW_TAG_variable", "DW_TAG_formal_parameter"}
NAMED_TYPES = STRUCTURES | {"DW_TAG_typedef", "DW_TAG_base_type", "DW_TAG_enumeration_type"}
LARGEST_UNIT = 16 << 20
"""Bytes of .debug_info: a larger unit would take gigabytes as objects of Python, and is left out."""
MOST_BYTES = 8 << 20
"""Of all units that are looked through for what one of them only declares: more would take minutes."""
DECLARATION = "DW_AT_declaration"


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
        self._elf = elf
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

    def is_unmerged(self, function: Entry) -> bool:
        """Whether a function of Rust is for certain no other's, too. Without optimisation the compiler merges
        none, and where the linker does (lld --icf), it knows several at one address."""
        is_alone = self._functions_at.get(number_of(function, "DW_AT_low_pc")) == 1
        return is_alone and function.cu.cu_offset in self._unoptimised

    @cached_property
    def _unoptimised(self) -> set[int]:
        """Units of Rust that were compiled without optimisation, as far as calls tell."""
        outer = {around[-1] for around in self._around.values() if around}
        return unoptimised_units(map(self._dwarf.get_DIE_from_refaddr, sorted(outer)))

    @cached_property
    def _functions_at(self) -> dict[int, int]:
        """How many functions each address is the begin of, as the symbols have it."""
        table = self._elf.get_section_by_name(".symtab")
        if table is None or table["sh_type"] == "SHT_NOBITS":
            return {}
        symbols = np.frombuffer(table.data(), dtype=SYMBOL)
        starts = symbols["value"][np.isin(symbols["info"] & 15, FUNCTIONS)]
        found, counts = np.unique(starts, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @cached_property
    def structures(self) -> dict[str, list[Entry]]:
        """Those of all units, by their names without namespaces and template arguments: clang writes many a
        class into one unit only. An empty dictionary where the units are too large."""
        found: dict[str, list[Entry]] = {}
        units = list(self._dwarf.iter_CUs())
        if sum(unit["unit_length"] for unit in units) > MOST_BYTES:
            return found
        for unit in units:
            for name, alike in self._unit(unit).types.items():
                found.setdefault(name, []).extend(entry for entry in alike if entry.tag in STRUCTURES)
        return found

    def _scope(self, offset: int) -> Scope:
        entry = self._dwarf.get_DIE_from_refaddr(offset)
        return Scope(entry, self._unit(entry.cu))

    def _unit(self, unit: Any) -> Unit:
        return self._units.setdefault(unit.cu_offset, Unit(unit, self))


class Unit:
    """What one source file became."""

    def __init__(self, unit: Any, all_units: Units) -> None:
        self._all_units = all_units
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
            if name and DECLARATION not in entry.attributes:
                found.setdefault(name, []).append(entry)
        return found

    def named(self, name: str) -> list[Entry]:
        """Types by such a name; structures of other units where this one has none."""
        return self.types.get(name) or self._all_units.structures.get(name, [])

    def whole(self, kind: Entry) -> Entry:
        """A type that is only declared here as another unit has it; else the type itself."""
        found = bare(kind)
        if found is None or DECLARATION not in found.attributes:
            return kind
        own = text_of(found, "DW_AT_name")
        name, alike = qualified(found, own), self._all_units.structures.get(own.partition("<")[0], [])
        return next((each for each in alike if qualified(each, text_of(each, "DW_AT_name")) == name), kind)

    @cached_property
    def pointers(self) -> dict[int, Entry]:
        """Of each type, by its offset, the pointer to it."""
        targets = ((type_of(entry), entry) for entry in self._held if entry.tag == POINTER)
        return {target.offset: entry for target, entry in targets if target is not None}

    @cached_property
    def variables(self) -> dict[str, Entry]:
        """Those outside functions, by their names."""
        return {text_of(entry, "DW_AT_name"): entry for entry in self._held if entry.tag in VARIABLES}

    @cached_property
    def functions(self) -> dict[str, list[Entry]]:
        """By their names without template arguments; one that is inlined everywhere, too."""
        found: dict[str, list[Entry]] = {}
        for entry in self._held:
            name = name_of(entry).partition("<")[0] if entry.tag == FUNCTION else ""
            if name:
                found.setdefault(name, []).append(entry)
        return found

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
