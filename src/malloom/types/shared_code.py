"""Whether the code that a call stands in may be that of several functions, merged as it is the same for all.

gcc (-fipa-icf) and linkers (--icf) leave the names of all at one address, rustc's LLVM leaves one name. Debug
information tells of one of them; the entry of the call that went there still has the function that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile

from malloom.report.elf_symbols import FUNCTIONS, SYMBOL
from malloom.sites.keys import plain
from malloom.types.entries import Entry, name_of, number_of, same, text_of

LINKAGE_NAME = "DW_AT_linkage_name"
CALLS = ("DW_TAG_call_site", "DW_TAG_GNU_call_site")
CALLED = ("DW_AT_call_origin", "DW_AT_abstract_origin")
COPIES = re.compile(r"(?<=[CD])[0-5](?=[EI])")
"""In the names of C++'s constructors and destructors: each has two or three, for bases and whole objects."""
PLACES = ("DW_AT_low_pc", "DW_AT_ranges", "DW_AT_inline", "DW_AT_declaration", "DW_AT_abstract_origin")
"""One of these has the entry of a function that has code, was inlined, or is a mere declaration."""
PARAMETER = "DW_TAG_formal_parameter"
JUMP = re.compile(rb"(?:\xf3\x0f\x1e\xfa)?(?:\xe9(.{4})|\xeb(.))", re.DOTALL)
"""All the code of a function that goes on as another: endbr64 or nothing, then jmp, near or short."""
LONGEST_JUMP = 9
"""Bytes of such."""
EXECUTABLE = 4
"""SHF_EXECINSTR."""


class FunctionNames:
    """The functions of a file by their symbols. Where there are none, nothing is known to be alone."""

    def __init__(self, elf: ELFFile) -> None:
        self._at: dict[int, set[str]] = {}
        self._of: dict[str, set[int]] = {}
        self._goes_on: set[int] = set()
        table: Any = elf.get_section_by_name(".symtab")
        if table is None or table["sh_type"] == "SHT_NOBITS":
            return
        symbols, texts = np.frombuffer(table.data(), dtype=SYMBOL), table.stringtable.data()
        symbols = symbols[np.isin(symbols["info"] & 15, FUNCTIONS) & (symbols["value"] != 0)]
        for start, at in zip(symbols["value"].tolist(), symbols["name"].tolist(), strict=True):
            name = _stem(texts[at : texts.find(b"\0", at)].decode(errors="replace"))
            self._at.setdefault(start, set()).add(name)
            self._of.setdefault(name, set()).add(start)
        short = symbols[(symbols["size"] != 0) & (symbols["size"] <= LONGEST_JUMP)]
        self._goes_on = set(_jumped_to(elf, short["value"].tolist(), short["size"].tolist()))

    def is_alone_at(self, address: int) -> bool:
        """Whether the function that covers an address is known, and is the only one there."""
        names = self._at.get(self._start_of(address), set())
        return len(names) == 1 and not any(map(self.is_merged, names))

    def has(self, name: str) -> bool:
        """Whether there is code of this name, as the linker knows it."""
        return _stem(name) in self._of

    def is_merged(self, name: str) -> bool:
        """Whether functions of other names are where one of this name is, or go on as that."""
        starts = self._of.get(_stem(name), set())
        return bool(starts & self._goes_on) or any(len(self._at[start]) > 1 for start in starts)

    def goes_on_at(self, address: int) -> bool:
        """Whether a function that is a mere jump goes on as the one that covers an address. gcc leaves such
        of functions whose addresses are in use, and has callers call the other: entries of calls, too."""
        return self._start_of(address) in self._goes_on

    def _start_of(self, address: int) -> int:
        index = int(np.searchsorted(self._starts, address, side="right")) - 1
        return int(self._starts[index]) if index >= 0 else 0

    @cached_property
    def _starts(self) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        return np.array(sorted(self._at), dtype=np.uint64)


def _jumped_to(elf: ELFFile, starts: list[int], sizes: list[int]) -> Iterator[int]:
    """Where those of some functions lead to that are a mere jump."""
    for section in elf.iter_sections():
        if not section["sh_flags"] & EXECUTABLE or section["sh_type"] == "SHT_NOBITS":
            continue
        code, begin = section.data(), section["sh_addr"]
        for start, size in zip(starts, sizes, strict=True):
            found = JUMP.fullmatch(code, start - begin, start - begin + size) if start >= begin else None
            if found is not None:
                yield start + size + int.from_bytes(found[1] or found[2], "little", signed=True)


def _stem(name: str) -> str:
    """The same for all symbols of one function."""
    short = plain(name)
    return COPIES.sub("", short) if short.startswith("_Z") else short


def linkage_name(function: Entry) -> str:
    """As the linker knows it; of C its own name."""
    told = (text_of(each, LINKAGE_NAME) for each in same(function))
    return next(filter(None, told), "") or name_of(function)


def is_of_gcc(function: Entry) -> bool:
    """Whether the compiler may have merged functions before it put them into their callers."""
    return text_of(function.cu.get_top_DIE(), "DW_AT_producer").startswith("GNU")


def without_code(functions: Iterable[Entry], names: FunctionNames) -> list[Entry]:
    """Those functions of a unit that are defined there and whose entries have no code: gcc has merged them
    with others. What units have in common it leaves out, too, and then there is no such symbol, unless the
    linker compiles all units as one."""
    return [
        function
        for function in functions
        if not any(place in function.attributes for place in PLACES)
        if not _is_external(function) or names.has(linkage_name(function)) or _is_compiled_as_one(function)
    ]


def _is_external(function: Entry) -> bool:
    return any("DW_AT_external" in each.attributes for each in same(function))


def _is_compiled_as_one(function: Entry) -> bool:
    is_whole = "DW_AT_specification" not in function.attributes
    return is_whole and "-flto" in text_of(function.cu.get_top_DIE(), "DW_AT_producer")


def number_of_parameters(function: Entry) -> int:
    *_, declared = same(function)
    return sum(child.tag == PARAMETER for child in declared.iter_children())


def calls_among(parts: Iterator[Entry]) -> list[tuple[int, Entry]]:
    """The calls among the parts of a function by the places that they return to."""
    return [
        (number_of(part, "DW_AT_call_return_pc", number_of(part, "DW_AT_low_pc")), part)
        for part in parts
        if part.tag in CALLS
    ]


def called_by(site: Entry) -> Entry | None:
    """The function that a call goes to in the source, where it is told."""
    name = next((name for name in CALLED if name in site.attributes), "")
    return site.get_DIE_from_attribute(name) if name else None


def are_one(meant: Entry, function: Entry) -> bool:
    """Whether both are entries of the same function. One that is only declared where it is called is known by
    its name, which no two have that are not static."""
    if {each.offset for each in same(meant)} & {each.offset for each in same(function)}:
        return True
    is_declared = any("DW_AT_declaration" in each.attributes for each in same(meant))
    return is_declared and _is_external(function) and linkage_name(meant) == linkage_name(function)
