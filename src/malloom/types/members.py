"""The fields of a type, down to what is no structure itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from malloom.types.entries import (
    STRUCTURES,
    Entry,
    bare,
    number_of,
    parameters_of,
    size_of,
    text_of,
    type_name,
    type_of,
)

MOST_MEMBERS = 1024
"""Of a type; what is behind them has no name."""
DEEPEST = 16
BUFFERS = ("__aligned_membuf<", "__aligned_buffer<")


@dataclass(frozen=True)
class Member:
    """A field at its place in the object."""

    offset: int
    size: int
    """Bytes; of bit fields those of the unit that they lie in."""
    name: str
    """With dots where it lies in another field: `position.x`. What a base class has, has its own name."""
    type: str


def members_of(kind: Entry | None) -> tuple[Member, ...]:
    """By their offsets. None of a type that is no structure."""
    found = bare(kind)
    if found is None or found.tag not in STRUCTURES:
        return ()
    all_members = list(_inside(found, 0, "", DEEPEST))
    return tuple(sorted(all_members, key=lambda member: member.offset)[:MOST_MEMBERS])


def _inside(structure: Entry, start: int, prefix: str, depth: int) -> Iterator[Member]:
    """The fields of a structure that begins at `start`."""
    for child in structure.iter_children():
        if child.tag == "DW_TAG_inheritance":
            base = bare(type_of(child))
            if base is not None and depth:
                yield from _inside(base, start + _place(child), prefix, depth - 1)
        elif child.tag == "DW_TAG_member" and not _is_shared(child):
            yield from _field(child, start, prefix, depth)


def _is_shared(member: Entry) -> bool:
    """Whether it is a static one, which no object has."""
    return "DW_AT_external" in member.attributes or "DW_AT_const_value" in member.attributes


def _field(member: Entry, start: int, prefix: str, depth: int) -> Iterator[Member]:
    kind, name = type_of(member), text_of(member, "DW_AT_name")
    whole, offset, inner = prefix + name, start + _place(member), _held(bare(kind))
    if inner is not None and inner.tag in STRUCTURES and depth and inner.tag != "DW_TAG_union_type":
        found = list(_inside(inner, offset, f"{whole}." if name else prefix, depth - 1))
        if found:
            yield from found
            return
    if inner is not None and inner.tag == "DW_TAG_union_type" and not name:
        whole = prefix + "|".join(text_of(each, "DW_AT_name") for each in inner.iter_children())
    yield Member(offset, size_of(kind) or number_of(member, "DW_AT_byte_size"), whole, type_name(kind))


def _held(kind: Entry | None) -> Entry | None:
    """What lies in the bytes that C++'s library keeps for a value of a node."""
    if kind is not None and kind.tag in STRUCTURES and text_of(kind, "DW_AT_name").startswith(BUFFERS):
        return next((bare(each) for each in parameters_of(kind)), kind)
    return kind


def _place(member: Entry) -> int:
    """Where it begins in its structure. 0 of what is worked out at run time, as a virtual base."""
    if "DW_AT_data_bit_offset" in member.attributes:
        size = size_of(type_of(member)) or 1
        return number_of(member, "DW_AT_data_bit_offset") // 8 // size * size
    found = member.attributes.get("DW_AT_data_member_location")
    if found is None:
        return 0
    if isinstance(found.value, list):  # DW_OP_plus_uconst, as DWARF 2 has it
        return _operand(found.value)
    return int(found.value)


def _operand(expression: list[int]) -> int:
    """The number behind DW_OP_plus_uconst; 0 of any other expression."""
    if not expression or expression[0] != 0x23:
        return 0
    return sum((byte & 0x7F) << (7 * at) for at, byte in enumerate(expression[1:]))
