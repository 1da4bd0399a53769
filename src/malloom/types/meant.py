"""The types and variables that words of the source mean where a call stands."""

from __future__ import annotations

from collections.abc import Iterator

from malloom.types.asked import Asked
from malloom.types.entries import (
    STRUCTURES,
    Entry,
    bare,
    class_of,
    declared_line,
    is_of_c,
    name_of,
    parameters_of,
    pointee,
    size_of,
    text_of,
    type_of,
)
from malloom.types.source_text import Said, declares_variable

PLAIN_NAMES = {"DW_TAG_typedef", "DW_TAG_base_type"}
FIELDS = {"DW_TAG_member", "DW_TAG_variable", "DW_TAG_inheritance"}
DEEPEST = 16
"""Of classes that derive from each other."""


def variables_named(asked: Asked, name: str) -> list[Entry]:
    return [each for each in asked.scope.variables() if name_of(each) == name]


def is_declared(asked: Asked, name: str) -> bool:
    """Whether debug information has a variable, a function or a type of that name: then it is no macro."""
    unit, entry = asked.scope.unit, asked.scope.entry
    return (
        name in unit.functions
        or name in unit.types
        or name in unit.variables
        or name in (asked.callee.partition(".")[0], asked.scope.name.partition("<")[0])
        or bool(variables_named(asked, name) or parameters_of(entry, name))
    )


def names_type(asked: Asked, said: Said) -> bool:
    """Whether the name within a sizeof is a type's for certain: a variable may have it, too, and then that is
    meant. In C a name without a keyword is a type's only by a typedef."""
    if not said.may_be_variable:
        return True
    name, unit = said.type.rpartition("::")[2], asked.scope.unit
    is_hidden = name in unit.variables or _is_field(class_of(asked.scope.entry), name, DEEPEST)
    if variables_named(asked, name) or is_hidden or declares_variable(asked.call.file, name):
        return False
    return not is_of_c(asked.scope.entry) or any(each.tag in PLAIN_NAMES for each in unit.named(name))


def _is_field(owner: Entry | None, name: str, depth: int) -> bool:
    """Whether a class, or one that it derives from, has a field of the name."""
    if owner is None or not depth:
        return False
    return any(
        text_of(each, "DW_AT_name") == name
        if each.tag != "DW_TAG_inheritance"
        else _is_field(bare(type_of(each)), name, depth - 1)
        for each in owner.iter_children()
        if each.tag in FIELDS
    )


def types_meant(asked: Asked, said: Said) -> Iterator[Entry]:
    """The types that may be meant; none where the name is no type's, or that of several sizes."""
    if said.target_of:
        target = pointee(type_of_path(asked, said.target_of))
        if target is not None:
            yield asked.scope.unit.whole(target)
        return
    hiding = variables_named(asked, said.type) if said.may_be_variable else []
    if hiding:
        kind = type_of(hiding[0])
        array = bare(kind)
        element = type_of(array) if array is not None and array.tag == "DW_TAG_array_type" else kind
        if element is not None:
            yield asked.scope.unit.whole(element)
        return
    kinds = asked.scope.unit.named(said.type.rpartition("::")[2])
    if len({size_of(kind) for kind in kinds}) != 1:
        return
    for _ in range(said.stars):
        pointers = asked.scope.unit.pointers
        kinds = [pointers[kind.offset] for kind in kinds if kind.offset in pointers]
    yield from kinds[:1]


def type_of_path(asked: Asked, path: tuple[str, ...]) -> Entry | None:
    """The type of `variable->field.field`, as far as debug information tells."""
    alike = variables_named(asked, path[0])
    before = [each for each in alike if declared_line(each) <= asked.call.line] or alike
    nearest = max(before, key=declared_line, default=None)
    variable = nearest or asked.scope.unit.variables.get(path[0])
    kind = type_of(variable) if variable is not None else None
    for name in path[1:]:
        structure = bare(pointee(kind) or kind)
        if structure is None or structure.tag not in STRUCTURES:
            return None
        field = next(
            (each for each in structure.iter_children() if text_of(each, "DW_AT_name") == name), None
        )
        kind = type_of(field) if field is not None else None
    return kind
