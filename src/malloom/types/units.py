"""Units of debug information, and the functions around a call: the one that was called, then those that the
compiler has put into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile

from malloom import _native
from malloom.sites.build import debug_sections
from malloom.types.entries import (
    HOLDERS,
    RUST,
    STRUCTURES,
    Entry,
    bare,
    language_of,
    name_of,
    qualified,
    same,
    text_of,
    type_of,
)
from malloom.types.optimised import unoptimised_units
from malloom.types.shared_code import (
    FunctionNames,
    are_one,
    called_by,
    calls_among,
    is_of_gcc,
    linkage_name,
    number_of_parameters,
    without_code,
)

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

    def is_shared(self, address: int, meant: Entry | None) -> bool:
        """Whether the code at one of the addresses may be another function's, too, unless it is that of the
        function that was meant: the one that the source of the caller calls."""
        *inlined, outer = self.scopes(address)
        is_one = meant is not None and are_one(meant, outer.entry) and self._is_told(outer, address)
        is_alone = is_one or (self.names.is_alone_at(address) and not self._others(outer))
        if language_of(outer.entry) == RUST:
            return not (is_one or (is_alone and outer.entry.cu.cu_offset in self._unoptimised))
        # gcc merges functions before it puts their code into others.
        return not is_alone or any(is_of_gcc(each.entry) and self._was_merged(each) for each in inlined)

    def function_meant(self, address: int) -> Entry | None:
        """The function that the call at one of the addresses goes to in the source, where that is told."""
        calls = (call for scope in self.scopes(address) for call in calls_among(scope.parts()))
        return next((called_by(site) for place, site in calls if place == address + 1), None)

    def _is_told(self, outer: Scope, address: int) -> bool:
        """Whether the entries of calls have what the source calls: gcc has callers call another function
        where it could not give both one address, and leaves the first one for those who have its address."""
        is_left = self.names.goes_on_at(address) and is_of_gcc(outer.entry)
        others = map(linkage_name, self._others(outer))
        return not is_left and all(map(self.names.is_merged, others))

    def _was_merged(self, scope: Scope) -> bool:
        """Whether the function of an inlined copy has another's name, too, as far as there is any name."""
        return self.names.is_merged(linkage_name(scope.entry)) or bool(self._others(scope))

    def _others(self, scope: Scope) -> list[Entry]:
        """The functions of its unit that may have been merged with this one: they have no code."""
        if not is_of_gcc(scope.entry):
            return []
        count = number_of_parameters(scope.entry)
        return [each for each in scope.unit.without_code if number_of_parameters(each) == count]

    @cached_property
    def names(self) -> FunctionNames:
        return FunctionNames(self._elf)

    @cached_property
    def _unoptimised(self) -> set[int]:
        """Units of Rust that were compiled without optimisation, as far as calls tell."""
        outer = {around[-1] for around in self._around.values() if around}
        return unoptimised_units(map(self._dwarf.get_DIE_from_refaddr, sorted(outer)))

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
    def held(self) -> list[Entry]:
        """All that lies in namespaces and classes, with these."""
        return [] if self._is_too_large else list(_held(self._top))

    @cached_property
    def types(self) -> dict[str, list[Entry]]:
        """All types with a name that are whole, by that name without namespaces and template arguments."""
        found: dict[str, list[Entry]] = {}
        for entry in self.held:
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
        targets = ((type_of(entry), entry) for entry in self.held if entry.tag == POINTER)
        return {target.offset: entry for target, entry in targets if target is not None}

    @cached_property
    def variables(self) -> dict[str, Entry]:
        """Those outside functions, by their names."""
        return {text_of(entry, "DW_AT_name"): entry for entry in self.held if entry.tag in VARIABLES}

    @cached_property
    def functions(self) -> dict[str, list[Entry]]:
        """By their names without template arguments; one that is inlined everywhere, too."""
        found: dict[str, list[Entry]] = {}
        for entry in self.held:
            name = name_of(entry).partition("<")[0] if entry.tag == FUNCTION else ""
            if name:
                found.setdefault(name, []).append(entry)
        return found

    @cached_property
    def without_code(self) -> list[Entry]:
        """Those of its functions that were merged with others."""
        return without_code(chain.from_iterable(self.functions.values()), self._all_units.names)

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
