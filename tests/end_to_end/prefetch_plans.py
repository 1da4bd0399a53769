"""Plans with prefetches for the loads of a program, as its disassembly shows them."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from malloom import formats
from malloom.layout.plan import Plan
from malloom.layout.plan_file import write_plan

LEGACY = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi")
REGISTERS = (*LEGACY, *(f"r{number}" for number in range(8, 16)))
NONE = 16
LINE = re.compile(r"^ +([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t(.*)$")
OPERAND = re.compile(r"(?<![\w:*])(?:-?0x[0-9a-f]+)?\(%(\w+)(?:,%(\w+),([1248]))?\)")
MASK = 2**64 - 1


class Load(NamedTuple):
    """An instruction with a memory operand."""

    offset: int
    base: int
    index: int
    scale: int


def module_hash(binary: Path) -> int:
    """formats/context_hash.h, over the build-id."""
    with binary.open("rb") as file:
        notes = [s for s in ELFFile(file).iter_sections() if isinstance(s, NoteSection)]
        build_id = next(
            n["n_desc"] for s in notes for n in s.iter_notes() if n["n_type"] == "NT_GNU_BUILD_ID"
        )
    identity = bytes.fromhex(build_id)
    value = _mix(len(identity) + 1)
    for byte in identity:
        value = _mix(value ^ byte)
    return value


def _mix(value: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value ^= value >> 33
        value = value * factor & MASK
    return value ^ value >> 33


def symbol(binary: Path, name: str) -> int:
    """The address that the symbol table gives."""
    with binary.open("rb") as file:
        tables = [s for s in ELFFile(file).iter_sections() if isinstance(s, SymbolTableSection)]
        return next(int(found["st_value"]) for t in tables for found in t.get_symbol_by_name(name) or [])


def loads(binary: Path) -> Iterator[Load]:
    """Every instruction with a memory operand whose registers are whole ones; stores and lea too."""
    shown = subprocess.run(["objdump", "-d", binary], capture_output=True, text=True, check=True).stdout
    for line in shown.splitlines():
        if (found := LINE.match(line)) and (operand := OPERAND.search(found[2])):
            base, index, scale = operand.groups()
            if base in REGISTERS and (index is None or index in REGISTERS):
                yield Load(
                    int(found[1], 16),
                    REGISTERS.index(base),
                    REGISTERS.index(index) if index else NONE,
                    int(scale or 1),
                )


def prefetch_plan(path: Path, binary: Path, chosen: list[tuple[Load, dict[str, int]]]) -> Path:
    """A plan with a prefetch for each load: of the load's own address, but for the fields that are given."""
    prefetches = np.zeros(len(chosen), dtype=formats.dtype("plan", "PlanPrefetch"))
    module, code_at = module_hash(binary), _code_reader(binary)
    for entry, (load, fields) in zip(prefetches, chosen, strict=True):
        values = {
            "module": module,
            "code": code_at(load.offset),
            "kind": 1,
            "target_scale": 1,
        } | load._asdict()
        for name, value in ({"target_base": NONE} | values | fields).items():
            entry[name] = value
    empty = {
        name: np.zeros(0, dtype=formats.dtype("plan", struct))
        for name, struct in [
            ("contexts", "PlanContext"),
            ("slots", "PlanSlot"),
            ("sequences", "PlanSequence"),
            ("groups", "PlanGroup"),
        ]
    }
    numbers = {"program": 0, "matching": 1, "depth": 1, "arena_bytes": 0, "planned_requests": 0}
    rest = {"profile_created": 0, "flags": 0, "racy_requests": 0}
    write_plan(Plan(strategy="test", prefetches=prefetches, **numbers, **rest, **empty), path)
    return path


def _code_reader(binary: Path) -> Callable[[int], int]:
    image = binary.read_bytes()
    with binary.open("rb") as file:
        segments = [s.header for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]

    def code_at(offset: int) -> int:
        segment = next(s for s in segments if 0 <= offset - s["p_vaddr"] < s["p_filesz"])
        place = segment["p_offset"] + offset - segment["p_vaddr"]
        return int.from_bytes(image[place : place + 8].ljust(8, b"\0"), "little")

    return code_at
