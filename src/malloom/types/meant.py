"""The types and variables that words of the source mean where a call stands."""

from __future__ import annotations

from collections.abc import Iterator

from malloom.types.asked import Asked
from malloom.types.entries import (
    STRUCTURES,
    Entry,
    bare,
    declared_line,
    name_of,
    pointee,
    size_of,
    text_of,
    type_of,
)
from malloom.types.source_text import Said


def variables_named(asked: Asked, name: str) -> list[Entry]:
    return [each for each in asked.scope.variables() if name_of(each) == name]


def types_meant(asked: Asked, said: Said) -> Iterator[Entry]:
    """The types that may be meant; none where the name is no type's, or that of several sizes."""
    if said.target_of:
        target = pointee(_type_of_path(asked, said.target_of))
        if target is not None:
            yield asked.scope.unit.whole(target)
        return
    kinds = asked.scope.unit.named(said.type.rpartition("::")[2])
    if len({size_of(kind) for kind in kinds}) != 1:
        return
    for _ in range(said.stars):
        pointers = asked.scope.unit.pointers
        kinds = [pointers[kind.offset] for kind in kinds if kind.offset in pointers]
    yield from kinds[:1]


def _type_of_path(asked: Asked, path: tuple[str, ...]) -> Entry | None:
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
