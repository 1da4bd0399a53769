"""Source lines of return addresses, from DWARF line tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from elftools.dwarf.descriptions import describe_form_class
from elftools.elf.elffile import ELFFile

from malloom.report.inlining import outermost_calls

Line = tuple[str, int]
"""File and line."""


def find_lines(elf: ELFFile, offsets: list[int]) -> dict[int, Line]:
    """File and line of the call before each return address, for those that a line table covers.

    `offsets` must be sorted. Decodes only the units that an offset lies in.
    """
    if not elf.has_dwarf_info() or elf.get_section_by_name(".debug_line") is None:
        return {}
    dwarf = elf.get_dwarf_info()
    lines: dict[int, Line] = {}
    for unit in _units(dwarf, offsets):
        program = dwarf.line_program_for_CU(unit)
        if program is not None:
            found: dict[int, Line] = {}
            _match(program, _folder(unit), offsets, found)
            lines |= found | _calls_of_inlined(dwarf, unit, program, found)
        if len(lines) == len(offsets):
            break
    return lines


def _units(dwarf: Any, offsets: list[int]) -> Iterator[Any]:
    """The units that an offset lies in, by .debug_aranges where there is one, else by their own ranges."""
    aranges = dwarf.get_aranges()
    if aranges is None:
        yield from (unit for unit in dwarf.iter_CUs() if _covers(dwarf, unit, offsets))
        return
    starts = {aranges.cu_offset_at_addr(offset - 1) for offset in offsets} - {None}
    for start in sorted(starts):
        yield dwarf.get_CU_at(start)


def _covers(dwarf: Any, unit: Any, offsets: list[int]) -> bool:
    """Whether a unit may hold an offset; true where it does not say what it holds."""
    top = unit.get_top_DIE()
    low, high = top.attributes.get("DW_AT_low_pc"), top.attributes.get("DW_AT_high_pc")
    if low is None or high is None:
        return "DW_AT_stmt_list" in top.attributes
    relative = describe_form_class(high.form) == "constant"
    end = low.value + high.value if relative else high.value
    return _any_between(offsets, low.value + 1, end)


def _any_between(offsets: list[int], first: int, last: int) -> bool:
    at = bisect_left(offsets, first)
    return at < len(offsets) and offsets[at] <= last


def _folder(unit: Any) -> str:
    return _text(unit, "DW_AT_comp_dir")


def _name(unit: Any) -> str:
    return _text(unit, "DW_AT_name")


def _text(unit: Any, attribute: str) -> str:
    found = unit.get_top_DIE().attributes.get(attribute)
    return found.value.decode(errors="replace") if found is not None else ""


def _calls_of_inlined(dwarf: Any, unit: Any, program: Any, found: dict[int, Line]) -> dict[int, Line]:
    """The lines of those calls that stand in an inlined function, in the function that it was put into."""
    # What lies in the unit's own file is hardly inlined from elsewhere, and entries take long to read.
    own = PurePosixPath(_name(unit)).name
    elsewhere = sorted(offset for offset, (file, _) in found.items() if PurePosixPath(file).name != own)
    if not elsewhere:
        return {}
    calls = outermost_calls(dwarf, unit, elsewhere)
    return {offset: (_file(program, _folder(unit), file), line) for offset, (file, line) in calls.items()}


def _match(program: Any, folder: str, offsets: list[int], lines: dict[int, Line]) -> None:
    """Adds the lines of those offsets that a row of the program covers."""
    before = None
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if before is not None and not before.end_sequence:
            # A return address belongs to the call before it, hence to the row that ends at it or later.
            at = bisect_left(offsets, before.address + 1)
            while at < len(offsets) and offsets[at] <= state.address:
                lines.setdefault(offsets[at], (_file(program, folder, before.file), before.line))
                at += 1
        before = state


def _file(program: Any, folder: str, number: int) -> str:
    """Path of a file of a line program; DWARF 5 counts files and folders from 0, older ones from 1."""
    header = program.header
    files, folders = header["file_entry"], header["include_directory"]
    base = 0 if header["version"] >= 5 else 1
    if not 0 <= number - base < len(files):
        return ""
    file = files[number - base]
    directory = file.dir_index - base
    parent = folders[directory].decode(errors="replace") if 0 <= directory < len(folders) else ""
    return str(PurePosixPath(folder) / parent / file.name.decode(errors="replace"))
