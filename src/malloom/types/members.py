"""The fields of a type, down to what is no structure itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
LEVELS_OF_VARIANTS = 4
"""That an enumeration with fields counts for, of the deepest: each has the fields of all its variants."""
MOST_NAMES = 4
"""That one field of several variants has; of more, three are shown."""
BUFFERS = ("__aligned_membuf<", "__aligned_buffer<")
MEMBER, VARIANT, VARIANTS = "DW_TAG_member", "DW_TAG_variant", "DW_TAG_variant_part"


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


def begins_with(holder: Entry, kind: Entry) -> bool:
    """Whether the first field of a structure, or its base class, is one of this type, or an array of such."""
    wanted = getattr(bare(kind), "offset", None)
    for child in holder.iter_children():
        if child.tag in (MEMBER, "DW_TAG_inheritance") and not _is_shared(child) and _place(child) == 0:
            inner = bare(type_of(child))
            while inner is not None and inner.tag == "DW_TAG_array_type":
                inner = bare(type_of(inner))
            if inner is not None and inner.offset == wanted:
                return True
    return False


def _inside(structure: Entry, start: int, prefix: str, depth: int) -> Iterator[Member]:
    """The fields of a structure that begins at `start`."""
    for child in structure.iter_children():
        if child.tag == "DW_TAG_inheritance":
            base, place = bare(type_of(child)), _place(child)
            if base is not None and place is not None and depth > 0:
                yield from _inside(base, start + place, prefix, depth - 1)
        elif child.tag == MEMBER and not _is_shared(child):
            yield from _field(child, start, prefix, depth)
        elif child.tag == VARIANTS and depth > 0:
            found = _of_variants(child, start, depth - LEVELS_OF_VARIANTS)
            yield from (replace(each, name=prefix + each.name) for each in _told_apart(found, structure))


def _is_shared(member: Entry) -> bool:
    """Whether it is a static one, which no object has."""
    return "DW_AT_external" in member.attributes or "DW_AT_const_value" in member.attributes


def _field(member: Entry, start: int, prefix: str, depth: int) -> Iterator[Member]:
    kind, name, place = type_of(member), text_of(member, "DW_AT_name"), _place(member)
    if place is None:
        return
    whole, offset, inner = prefix + name, start + place, _held(bare(kind))
    if inner is not None and inner.tag in STRUCTURES and depth > 0 and inner.tag != "DW_TAG_union_type":
        found = list(_inside(inner, offset, f"{whole}." if name else prefix, depth - 1))
        # Of an Option<Box<T>> the same bytes tell the variant and are its field: it is one field itself.
        if found and not (len(found) == 1 and _has_variants(inner)):
            yield from found
            return
    if inner is not None and inner.tag == "DW_TAG_union_type" and not name:
        whole = prefix + _joined(_names_in(inner, depth))
    yield Member(offset, size_of(kind) or number_of(member, "DW_AT_byte_size"), whole, type_name(kind))


def _names_in(structure: Entry, depth: int) -> Iterator[str]:
    """The names of its fields; of one without a name, those in it."""
    for member in (child for child in structure.iter_children() if child.tag == MEMBER):
        name, kind = text_of(member, "DW_AT_name"), bare(type_of(member))
        if name:
            yield name
        elif kind is not None and kind.tag in STRUCTURES and depth > 0:
            yield from _names_in(kind, depth - 1)


def _joined(names: Iterable[str]) -> str:
    """Of what has the same bytes."""
    alike = list(dict.fromkeys(names))
    return "|".join(alike if len(alike) <= MOST_NAMES else [*alike[: MOST_NAMES - 1], "…"])


def _has_variants(structure: Entry) -> bool:
    """Whether it is an enumeration of Rust whose variants have fields."""
    return any(child.tag == VARIANTS for child in structure.iter_children())


def _of_variants(part: Entry, start: int, depth: int) -> list[tuple[int, Member]]:
    """The fields of each variant, with its number, and as one more variant the discriminant."""
    found: list[tuple[int, Member]] = []
    for number, child in enumerate(part.iter_children()):
        fields: list[Member] = []
        if child.tag == MEMBER:
            name = text_of(child, "DW_AT_name") or "discriminant"
            kind = type_of(child)
            fields = [Member(start + (_place(child) or 0), size_of(kind), name, type_name(kind))]
        elif child.tag == VARIANT:
            fields = [field for each in child.iter_children() for field in _of_variant(each, start, depth)]
        found += [(number, field) for field in fields if field.size]
    return found


def _of_variant(member: Entry, start: int, depth: int) -> Iterator[Member]:
    """What a variant has: its one member is a structure that has its name; none where it has no fields."""
    kind, name = bare(type_of(member)), text_of(member, "DW_AT_name")
    if member.tag == MEMBER and kind is not None and kind.tag in STRUCTURES:
        yield from _inside(kind, start + (_place(member) or 0), f"{name}." if name else "", depth)
    elif member.tag == MEMBER:
        yield from _field(member, start, "", depth)


def _told_apart(fields: list[tuple[int, Member]], owner: Entry) -> Iterator[Member]:
    """Fields of variants by their places: what lies in the same bytes in several is one field, as a union."""
    run: list[tuple[int, Member]] = []
    end = 0
    for each in sorted(fields, key=lambda field: field[1].offset):
        if run and each[1].offset >= end:
            yield from _as_one(run, end, owner)
            run = []
        run.append(each)
        end = max(end, each[1].offset + each[1].size)
    yield from _as_one(run, end, owner)


def _as_one(run: list[tuple[int, Member]], end: int, owner: Entry) -> Iterator[Member]:
    """Fields that reach into each other: one field with all names, unless they are of one variant."""
    fields = [field for _, field in run]
    if len({number for number, _ in run}) < 2:
        yield from fields
        return
    whole = _joined(field.name for field in fields)
    yield Member(fields[0].offset, end - fields[0].offset, whole, type_name(owner))


def _held(kind: Entry | None) -> Entry | None:
    """What lies in the bytes that C++'s library keeps for a value of a node."""
    if kind is not None and kind.tag in STRUCTURES and text_of(kind, "DW_AT_name").startswith(BUFFERS):
        return next((bare(each) for each in parameters_of(kind)), kind)
    return kind


def _place(member: Entry) -> int | None:
    """Where it begins in its structure. None of what is worked out at run time, as a virtual base, which
    lies elsewhere in each class that derives from its own."""
    if number_of(member, "DW_AT_virtuality"):
        return None
    if "DW_AT_data_bit_offset" in member.attributes:
        size = size_of(type_of(member)) or 1
        return number_of(member, "DW_AT_data_bit_offset") // 8 // size * size
    found = member.attributes.get("DW_AT_data_member_location")
    if found is None:
        return 0
    if isinstance(found.value, list):  # DW_OP_plus_uconst, as DWARF 2 has it
        return _operand(found.value)
    return int(found.value)


def _operand(expression: list[int]) -> int | None:
    """The number behind DW_OP_plus_uconst; None of any other expression."""
    if not expression or expression[0] != 0x23:
        return None
    return sum((byte & 0x7F) << (7 * at) for at, byte in enumerate(expression[1:]))
