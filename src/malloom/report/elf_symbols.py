"""What an ELF file says about itself: its build-id, and the functions of its symbol tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

SYMBOL = np.dtype(
    [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8")]
)
"""Elf64_Sym; what malloom records has 64 bits and is little-endian."""

FUNCTIONS = (2, 10)
"""STT_FUNC, STT_GNU_IFUNC."""


def build_id_of(elf: ELFFile) -> str:
    """The build-id of a file in hexadecimal; empty where it has none."""
    for section in elf.iter_sections():
        if isinstance(section, NoteSection):
            for note in section.iter_notes():
                if note["n_type"] == "NT_GNU_BUILD_ID":
                    return str(note["n_desc"])
    return ""


def find_functions(elf: ELFFile, offsets: list[int]) -> dict[int, str]:
    """The function that the call before each return address lies in, as the linker knows it, for those that a
    symbol covers."""
    functions: dict[int, str] = {}
    for table in _symbol_tables(elf):
        missing = [offset for offset in offsets if offset not in functions]
        functions |= _functions_of(table, np.array(missing, dtype=np.uint64))
    return functions


def all_functions(elf: ELFFile) -> dict[int, str]:
    """Address -> name of every function that the file's symbols name; of several names the lowest."""
    functions: dict[int, str] = {}
    for table in _symbol_tables(elf):
        symbols, names = _defined(table), table.stringtable.data()
        for value, start in zip(symbols["value"].tolist(), symbols["name"].tolist(), strict=True):
            name = names[start : names.find(b"\0", start)].decode(errors="replace").partition("@")[0]
            functions[value] = min(functions.get(value, name), name)
    return functions


def _symbol_tables(elf: ELFFile) -> Iterator[SymbolTableSection]:
    for name in (".symtab", ".dynsym"):
        table = elf.get_section_by_name(name)
        # A debug file keeps the sections that it leaves to the program as mere names.
        if isinstance(table, SymbolTableSection) and table["sh_type"] != "SHT_NOBITS":
            yield table


def _defined(table: SymbolTableSection) -> Any:
    """The functions of a table that have code."""
    data = table.data()
    symbols = np.frombuffer(data, dtype=SYMBOL, count=len(data) // SYMBOL.itemsize)
    return symbols[
        np.isin(symbols["info"] & 15, FUNCTIONS) & (symbols["value"] != 0) & (symbols["size"] != 0)
    ]


def _functions_of(table: SymbolTableSection, offsets: Any) -> dict[int, str]:
    # A program may have a million symbols, of which a report names some hundred.
    symbols = _defined(table)
    if not len(symbols):
        return {}
    # Of names for one function the last: a table has its global symbols behind the local ones.
    symbols = symbols[np.argsort(symbols["value"], kind="stable")]
    calls = offsets - np.uint64(1)
    nearest = np.searchsorted(symbols["value"], calls, side="right") - 1
    covered = (nearest >= 0) & (calls - symbols["value"][nearest] < symbols["size"][nearest])
    return {
        int(offset): str(table.stringtable.get_string(int(symbols["name"][index])))
        for offset, index in zip(offsets[covered], nearest[covered], strict=True)
    }
