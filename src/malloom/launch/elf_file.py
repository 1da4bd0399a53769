"""The few facts of an ELF file that decide whether a preloaded library reaches its heap.

Only headers, the dynamic section and the symbols that matter are read, with nothing but the standard
library. `malloom run` without Python has a reader of its own, src/native/command/elf_file.h, which a test
compares with this one.
"""

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"\x7fELF"
CLASS_64 = 2
LITTLE_ENDIAN = 1
MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE = 1, 2, 3, 4
SHT_SYMTAB, SHT_DYNSYM = 2, 11
STT_FUNC, STT_GNU_IFUNC = 2, 10
DT_NULL, DT_NEEDED, DT_STRTAB = 0, 1, 5
NT_GNU_BUILD_ID = 3
SHN_UNDEF = 0

FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
DYNAMIC_ENTRY = struct.Struct("<qQ")
NOTE_HEADER = struct.Struct("<III")

OWN_SECTION = ".malloom.command"
"""Of the command `malloom` (src/native/command/main.cpp)."""

ALLOCATOR_FUNCTIONS = ("malloc", "free")

Bytes = bytes | mmap.mmap
Segments = list[tuple[int, int, int, int]]


class NotElf(Exception):
    """The file is no ELF file, or its headers point outside it; the text says which."""


@dataclass(frozen=True)
class ElfFile:
    """What was found in one ELF file. 32-bit and foreign files have only `bits` and `machine`."""

    bits: int
    machine: str
    loader: str = ""
    """Path of the dynamic loader; empty in static programs and in libraries."""
    needed: tuple[str, ...] = ()
    """Names of the libraries it is linked with."""
    allocator: frozenset[str] = frozenset()
    """ALLOCATOR_FUNCTIONS that it defines itself, whether or not it exports them."""
    sections: frozenset[str] = frozenset()
    build_id: str = ""
    """Hexadecimal; empty where the linker wrote none."""

    @property
    def is_own_command(self) -> bool:
        """Whether it is the command `malloom`: static, but what it becomes gets its environment."""
        return OWN_SECTION in self.sections


@dataclass(frozen=True)
class Section:
    name_offset: int
    kind: int
    offset: int
    size: int
    link: int


def read_elf(path: Path) -> ElfFile:
    """Read the facts; raises NotElf, or OSError where the file cannot be read."""
    with path.open("rb") as file:
        start = file.read(FILE_HEADER.size)
        if len(start) < FILE_HEADER.size or start[:4] != MAGIC:
            raise NotElf("no ELF file")
        if start[4] != CLASS_64 or start[5] != LITTLE_ENDIAN:
            return ElfFile(bits=64 if start[4] == CLASS_64 else 32, machine="unknown")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return read_64_bit(data)
            except (struct.error, ValueError, OverflowError) as problem:
                raise NotElf("an ELF file with damaged headers") from problem


def read_64_bit(data: Bytes) -> ElfFile:
    machine = FILE_HEADER.unpack_from(data)[2]
    segments = list(program_headers(data))
    sections = list(section_headers(data))
    names = string_table(data, sections, FILE_HEADER.unpack_from(data)[13])
    return ElfFile(
        bits=64,
        machine=MACHINES.get(machine, f"ELF machine {machine}"),
        loader=next((text_at(data, offset) for kind, offset, _, _ in segments if kind == PT_INTERP), ""),
        needed=tuple(needed_libraries(data, segments)),
        allocator=frozenset(name for name in ALLOCATOR_FUNCTIONS if defines_function(data, sections, name)),
        sections=frozenset(text_at(names, section.name_offset) for section in sections)
        if names
        else frozenset(),
        build_id=next((found for found in build_ids(data, segments)), ""),
    )


def part(data: Bytes, offset: int, size: int) -> bytes:
    """Bytes of the file; raises ValueError where the file is shorter than its headers say."""
    found = data[offset : offset + size]
    if len(found) < size:
        raise ValueError("a table outside the file")
    return found


def text_at(data: Bytes, offset: int) -> str:
    """The NUL-terminated text at an offset."""
    end = data.find(b"\0", offset)
    if end < 0:
        raise ValueError("a name without an end")
    return data[offset:end].decode("utf-8", "replace")


def program_headers(data: Bytes) -> Iterator[tuple[int, int, int, int]]:
    """Type, file offset, address and size in the file of every segment."""
    header = FILE_HEADER.unpack_from(data)
    for index in range(header[10]):
        kind, _, offset, address, _, size, _, _ = PROGRAM_HEADER.unpack_from(
            data, header[5] + index * header[9]
        )
        yield kind, offset, address, size


def section_headers(data: Bytes) -> Iterator[Section]:
    header = FILE_HEADER.unpack_from(data)
    for index in range(header[12]):
        at = header[6] + index * header[11]
        name, kind, _, _, offset, size, link, _, _, _ = SECTION_HEADER.unpack_from(data, at)
        yield Section(name, kind, offset, size, link)


def string_table(data: Bytes, sections: list[Section], index: int) -> bytes:
    if not 0 < index < len(sections):
        return b""
    return part(data, sections[index].offset, sections[index].size)


def defines_function(data: Bytes, sections: list[Section], name: str) -> bool:
    """Whether any symbol table holds a function of this name."""
    for section in sections:
        if section.kind in (SHT_SYMTAB, SHT_DYNSYM):
            # Names share their ends: "malloc" may stand inside "xmalloc".
            names = set(occurrences(string_table(data, sections, section.link), name.encode() + b"\0"))
            table = part(data, section.offset, section.size // SYMBOL.size * SYMBOL.size)
            if names and has_function(table, names):
                return True
    return False


def has_function(table: bytes, names: set[int]) -> bool:
    """Whether a symbol table defines a function whose name is at one of these offsets."""
    # Large programs have a million symbols: only those with such a name are looked at one by one.
    name_of = memoryview(table).cast("I")[:: SYMBOL.size // 4].tolist()
    for index in (index for index, name in enumerate(name_of) if name in names):
        _, info, _, holder, _, _ = SYMBOL.unpack_from(table, index * SYMBOL.size)
        if holder != SHN_UNDEF and info & 15 in (STT_FUNC, STT_GNU_IFUNC):
            return True
    return False


def occurrences(text: bytes, wanted: bytes) -> Iterator[int]:
    """Every offset at which the text holds what is wanted."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def needed_libraries(data: Bytes, segments: Segments) -> Iterator[str]:
    for kind, offset, _, size in segments:
        if kind == PT_DYNAMIC:
            table = part(data, offset, size // DYNAMIC_ENTRY.size * DYNAMIC_ENTRY.size)
            entries = list(DYNAMIC_ENTRY.iter_unpack(table))
            end = next((index for index, (tag, _) in enumerate(entries) if tag == DT_NULL), len(entries))
            names = dict(entries[:end]).get(DT_STRTAB, 0)
            yield from (
                text_at(data, file_offset(segments, names) + value)
                for tag, value in entries[:end]
                if tag == DT_NEEDED
            )


def file_offset(segments: Segments, address: int) -> int:
    """Where in the file an address is loaded from."""
    for kind, offset, start, size in segments:
        if kind == PT_LOAD and start <= address < start + size:
            return offset + address - start
    raise ValueError("an address outside all segments")


def build_ids(data: Bytes, segments: Segments) -> Iterator[str]:
    for kind, offset, _, size in segments:
        at = offset
        while kind == PT_NOTE and at + NOTE_HEADER.size <= offset + size:
            name_size, value_size, note = NOTE_HEADER.unpack_from(data, at)
            value = at + NOTE_HEADER.size + (name_size + 3) // 4 * 4
            if note == NT_GNU_BUILD_ID and part(data, at + NOTE_HEADER.size, 4) == b"GNU\0":
                yield part(data, value, value_size).hex()
            at = value + (value_size + 3) // 4 * 4
