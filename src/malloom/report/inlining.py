"""Where a function's own source calls what the compiler has put into it, from DWARF entries."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.ranges import BaseAddressEntry

Call = tuple[int, int]
"""Number of a file in the unit's line program, and line."""

BODIES = {"DW_TAG_subprogram", "DW_TAG_lexical_block", "DW_TAG_namespace", "DW_TAG_inlined_subroutine"}


def outermost_calls(dwarf: Any, unit: Any, offsets: list[int]) -> dict[int, Call]:
    """For return addresses inside of inlined functions: the call in the function that stands on the stack.

    `offsets` must be sorted.
    """
    calls: dict[int, Call] = {}
    top = unit.get_top_DIE()
    base = top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
    _collect(dwarf, unit, top, base, offsets, calls)
    return calls


def _collect(
    dwarf: Any, unit: Any, entry: Any, base: int, offsets: list[int], calls: dict[int, Call]
) -> None:
    for child in entry.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine" and not _is_part(child, entry):
            call = _attribute(child, "DW_AT_call_file"), _attribute(child, "DW_AT_call_line")
            inside = (_within(offsets, *span) for span in _spans(dwarf, unit, child, base))
            calls.update((offset, call) for some in inside for offset in some)
        elif child.tag in BODIES and _may_hold(dwarf, unit, child, base, offsets):
            _collect(dwarf, unit, child, base, offsets, calls)


def _is_part(inlined: Any, function: Any) -> bool:
    """Whether the inlined body is the function's own, which the compiler has split off."""
    origin = _attribute(inlined, "DW_AT_abstract_origin")
    return origin != 0 and origin == _attribute(function, "DW_AT_abstract_origin")


def _attribute(entry: Any, name: str) -> int:
    found = entry.attributes.get(name)
    return int(found.value) if found is not None else 0


def _may_hold(dwarf: Any, unit: Any, entry: Any, base: int, offsets: list[int]) -> bool:
    """Whether an offset lies in the entry; true for a block or namespace that does not say where it lies."""
    spans = list(_spans(dwarf, unit, entry, base))
    if not spans:
        return bool(entry.tag != "DW_TAG_subprogram")
    return any(_within(offsets, *span) for span in spans)


def _within(offsets: list[int], low: int, high: int) -> list[int]:
    """The return addresses whose call lies in [low, high)."""
    return offsets[bisect_left(offsets, low + 1) : bisect_right(offsets, high)]


def _spans(dwarf: Any, unit: Any, entry: Any, base: int) -> Iterator[tuple[int, int]]:
    """The addresses of an entry's code, from `low` up to before `high`."""
    low, high = entry.attributes.get("DW_AT_low_pc"), entry.attributes.get("DW_AT_high_pc")
    if low is not None and high is not None:
        relative = describe_form_class(high.form) == "constant"
        yield low.value, low.value + high.value if relative else high.value
    elif "DW_AT_ranges" in entry.attributes:
        lists = dwarf.range_lists()
        for part in lists.get_range_list_at_offset(entry.attributes["DW_AT_ranges"].value, cu=unit):
            if isinstance(part, BaseAddressEntry):
                base = part.base_address
            else:
                start = 0 if part.is_absolute else base
                yield start + part.begin_offset, start + part.end_offset
