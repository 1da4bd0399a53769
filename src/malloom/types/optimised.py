"""Rust: whether a unit of debug information was compiled without optimisation. No entry says so."""

from __future__ import annotations

from collections.abc import Iterable

from malloom.types.entries import (
    POINTER_BYTES,
    POINTERS,
    Entry,
    bare,
    qualified,
    same,
    size_of,
    text_of,
    type_of,
)

LIBRARY = ("alloc::", "hashbrown::")
"""Crates whose functions let nobody else change their first argument."""
IN_FRAME = 0x91
"""DW_OP_fbreg: on the stack, at one place all the time."""


def unoptimised_units(functions: Iterable[Entry]) -> set[int]:
    """The units, by their offsets, in which all functions of Rust's library that are there have their first
    argument on the stack all the time: it comes in a register, and stays there where it is optimised."""
    told: dict[int, set[bool]] = {}
    for function in functions:
        is_kept = _is_argument_kept(function)
        if is_kept is not None and _is_of_library(function):
            told.setdefault(function.cu.cu_offset, set()).add(is_kept)
    return {unit for unit, kept in told.items() if kept == {True}}


def _is_argument_kept(function: Entry) -> bool | None:
    """Whether the first argument lies on the stack; None where it comes in no register, or nothing tells."""
    first = next((each for each in function.iter_children() if each.tag == "DW_TAG_formal_parameter"), None)
    place = first.attributes.get("DW_AT_location") if first is not None else None
    if place is None or not _comes_in_registers(bare(type_of(first))):
        return None
    return isinstance(place.value, list) and place.value[:1] == [IN_FRAME]


def _comes_in_registers(kind: Entry | None) -> bool:
    """Whether it is a pointer, a number, or a reference to a slice: its pointer and length."""
    if kind is None or not size_of(kind):
        return False
    is_slice = text_of(kind, "DW_AT_name").startswith("&") and size_of(kind) <= 2 * POINTER_BYTES
    is_small = kind.tag in POINTERS | {"DW_TAG_base_type"} and size_of(kind) <= POINTER_BYTES
    return is_slice or is_small


def _is_of_library(function: Entry) -> bool:
    *_, declared = same(function)
    return qualified(declared, "").startswith(LIBRARY)
