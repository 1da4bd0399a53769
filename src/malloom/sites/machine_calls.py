"""The call instructions of an x86-64 file, and which function each calls.

Without a disassembler: a call is five bytes whose last four lead to the begin of a function. That other bytes
do so by chance is one in some millions, and such a place would still need the debug information of a call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from malloom.report.elf_symbols import all_functions

CALL, CALL_INDIRECT, ENDBR, BND, JUMP_SLOT = 0xE8, 0xFF, b"\xf3\x0f\x1e\xfa", 0xF2, b"\xff\x25"
RELOCATION = np.dtype([("offset", "u8"), ("info", "u8"), ("addend", "i8")])
"""Elf64_Rela."""
SLOTS = (6, 7)
"""R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT: words that lead to functions of other files."""
EXECUTABLE = 4
POINTER_CALL_BYTES = {0x10: 2, 0x50: 3, 0x90: 6, 0xD0: 2}
"""By the upper bits of the byte after FF: bytes of a call through a pointer, less its index byte."""


def machine_calls(program: ELFFile, named_by: Iterable[ELFFile]) -> dict[int, str]:
    """Return address -> name of the function that is called, for the calls that name one.

    `named_by` are files with the symbols of `program`, which may be stripped. Empty where it is for another
    processor.
    """
    if program["e_machine"] != "EM_X86_64":
        return {}
    slots = _slots(program)
    functions = _stubs(program, slots)
    for elf in named_by:
        functions |= all_functions(elf)
    targets = np.array(sorted(functions), dtype=np.int64)
    calls: dict[int, str] = {}
    for section in program.iter_sections():
        if section["sh_flags"] & EXECUTABLE and section["sh_type"] == "SHT_PROGBITS":
            code = np.frombuffer(section.data(), dtype=np.uint8)
            calls |= _direct(code, section["sh_addr"], targets, functions)
            calls |= _through_slots(code, section["sh_addr"], slots)
    return calls


def pointer_calls(program: ELFFile) -> list[int]:
    """What may be the return addresses of calls through pointers: of few of them there is such a call."""
    found: list[int] = []
    for section in program.iter_sections():
        if section["sh_flags"] & EXECUTABLE and section["sh_type"] == "SHT_PROGBITS":
            code = np.frombuffer(section.data(), dtype=np.uint8)
            at = np.flatnonzero(code[:-7] == CALL_INDIRECT)
            form = code[at + 1]
            for upper, length in POINTER_CALL_BYTES.items():
                chosen = at[(form & 0xF8) == upper]
                has_index = (
                    (code[chosen + 1] & 7 == 4) if upper != 0xD0 else np.zeros(len(chosen), dtype=bool)
                )
                found += (chosen + length + has_index + section["sh_addr"]).tolist()
            relative = at[form == 0x15]
            found += (relative + 6 + section["sh_addr"]).tolist()
    return sorted(set(found))


def _words(code: Any, at: Any) -> Any:
    """The signed 32-bit numbers at these places."""
    parts = [code[at + byte].astype(np.uint32) << np.uint32(8 * byte) for byte in range(4)]
    return (parts[0] | parts[1] | parts[2] | parts[3]).view(np.int32).astype(np.int64)


def _direct(code: Any, base: int, targets: Any, functions: dict[int, str]) -> dict[int, str]:
    at = np.flatnonzero(code[: max(len(code) - 4, 0)] == CALL)
    target = _words(code, at + 1) + at + 5 + base
    known = np.isin(target, targets)
    returns = (at[known] + 5 + base).tolist()
    return {where: functions[there] for where, there in zip(returns, target[known].tolist(), strict=True)}


def _through_slots(code: Any, base: int, slots: dict[int, str]) -> dict[int, str]:
    at = np.flatnonzero(code[: max(len(code) - 5, 0)] == CALL_INDIRECT)
    at = at[code[at + 1] == 0x15]
    target = (_words(code, at + 2) + at + 6 + base).tolist()
    returns = (at + 6 + base).tolist()
    return {where: slots[slot] for where, slot in zip(returns, target, strict=True) if slot in slots}


def _slots(elf: ELFFile) -> dict[int, str]:
    """Address of a word that leads to a function of another file -> its name."""
    symbols = elf.get_section_by_name(".dynsym")
    if not isinstance(symbols, SymbolTableSection):
        return {}
    slots: dict[int, str] = {}
    for name in (".rela.plt", ".rela.dyn"):
        section = elf.get_section_by_name(name)
        if section is not None:
            table = np.frombuffer(section.data(), dtype=RELOCATION)
            table = table[np.isin(table["info"] & np.uint64(0xFFFFFFFF), SLOTS)]
            for offset, info in zip(table["offset"].tolist(), table["info"].tolist(), strict=True):
                slots[offset] = symbols.get_symbol(info >> 32).name.partition("@")[0]
    return slots


def _stubs(elf: ELFFile, slots: dict[int, str]) -> dict[int, str]:
    """Address of a stub that jumps to where such a word leads -> the function's name."""
    stubs: dict[int, str] = {}
    for section in elf.iter_sections():
        if not section.name.startswith(".plt") or section["sh_type"] != "SHT_PROGBITS":
            continue
        data, base = section.data(), section["sh_addr"]
        at = data.find(JUMP_SLOT)
        while 0 <= at <= len(data) - 6:
            slot = base + at + 6 + int.from_bytes(data[at + 2 : at + 6], "little", signed=True)
            start = at - (at > 0 and data[at - 1] == BND)
            start -= 4 * (data[max(start - 4, 0) : start] == ENDBR)
            if slot in slots:
                stubs[base + start] = slots[slot]
            at = data.find(JUMP_SLOT, at + 1)
    return stubs
