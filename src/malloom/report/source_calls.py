"""The calls in the source that return addresses belong to, from a file's debug information.

Where the compiler has put a function into its caller, the machine has one call and the source has several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from symbolic.debuginfo import Archive
from symbolic.exceptions import SymbolicError

APART = {"DW_AT_dwo_name", "DW_AT_GNU_dwo_name"}
"""What names the file that holds the rest of a unit (-gsplit-dwarf)."""


class UnreadableError(Exception):
    """The debug information cannot be read, for the reason given in a line."""


@dataclass(frozen=True)
class SourceCall:
    """A function, and the line in it that makes the next inner call."""

    function: str
    """As the linker knows it, so perhaps mangled; empty where the debug information has no name."""
    file: str
    """Path; empty where the compiler has kept none."""
    line: int
    """0 where the compiler has kept none."""


def find_calls(elf: ELFFile, offsets: list[int]) -> dict[int, list[SourceCall]]:
    """For each return address that the debug information covers its calls, innermost first.

    All but the last are of functions that are inlined. Raises UnreadableError.
    """
    if elf.get_section_by_name(".debug_info") is None:
        return {}
    try:
        base = _first_address(elf)
        # By the descriptor, as the library takes no path that is not UTF-8.
        archive = Archive.open(f"/proc/self/fd/{elf.stream.fileno()}")
        table: Any = next(archive.iter_objects()).make_symcache()
        found = {offset: table.lookup(offset - 1 - base) for offset in offsets if offset > base}
    except (ELFError, SymbolicError, ValueError, StopIteration) as problem:
        raise UnreadableError(_reason(problem)) from None
    calls = {offset: [_call(location) for location in locations] for offset, locations in found.items()}
    # What has no line anywhere comes from the symbol before it, whose end is not looked at.
    return {offset: chain for offset, chain in calls.items() if any(call.file for call in chain)}


def lies_apart(elf: ELFFile) -> bool:
    """Whether debug information lies in files beside the program (-gsplit-dwarf), which are not read.

    Not where that cannot be known.
    """
    if elf.get_section_by_name(".debug_addr") is None:
        return False
    try:
        units: Any = elf.get_dwarf_info().iter_CUs()
        return any(not APART.isdisjoint(unit.get_top_DIE().attributes) for unit in units)
    # What pyelftools raises for damage, newer versions and zstd are not its own errors alone: a KeyError for
    # an abbreviation, an AssertionError for a form, a MemoryError for a length.
    except Exception:
        return False


def _reason(problem: Exception) -> str:
    """The innermost cause, which `symbolic` gives last, each in a line of its own."""
    return str(problem).rpartition("caused by: ")[2].partition("\n")[0] or "it is of no known kind"


def _first_address(elf: ELFFile) -> int:
    """The address that the table counts from: that of the first segment that is loaded."""
    loaded = (segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD")
    return next((int(segment["p_vaddr"]) for segment in loaded), 0)


def _call(location: Any) -> SourceCall:
    return SourceCall(location.symbol or "", location.full_path or "", location.line)
