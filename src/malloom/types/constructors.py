"""C++: the class whose constructor comes next after the call that made its memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from malloom.types.asked import Asked, Found
from malloom.types.entries import (
    STRUCTURES,
    Entry,
    bare,
    class_of,
    is_structure,
    name_of,
    number_of,
    same,
    text_of,
    type_name,
)
from malloom.types.meant import types_meant
from malloom.types.members import begins_with
from malloom.types.merged import may_be_merged
from malloom.types.shared_code import called_by, calls_among
from malloom.types.source_text import said_at

INLINED = "DW_TAG_inlined_subroutine"
ONE_NEW = {"_Znwm", "_ZnwmSt11align_val_t", "_ZnwmRKSt9nothrow_t"}
NEW = ONE_NEW | {"_Znam", "_ZnamRKSt9nothrow_t"}
"""Operator new, as the linker knows it."""


def of_constructor(asked: Asked) -> Iterator[Found]:
    """C++: the class whose constructor is called next, in the same line."""
    if asked.callee not in NEW or not asked.is_direct:
        return
    for made, is_certain in (*_inlined_constructors(asked), *_next_call(asked)):
        owner = class_of(made)
        kind = asked.scope.unit.whole(owner) if owner is not None else None
        if kind is not None and asked.is_one(kind):
            is_sure = is_certain and not has_equal_heirs(asked, kind) and _is_not_denied(asked, kind)
            is_sure = is_sure and (_is_named(asked, kind) or not _may_be_first(asked, kind))
            is_sure = is_sure and not _is_argument(asked) and not may_be_merged(asked, kind)
            yield Found(kind, "the constructor that is called next", is_sure)
            return


def _is_not_denied(asked: Asked, kind: Entry) -> bool:
    """Whether the source, where it is there, names no other structure: of `new A(B())` both have constructors
    in the line."""
    named = [made for made in _named(asked) if is_structure(made)]
    return not named or any(_template(made) == _template(kind) for made in named)


def _named(asked: Asked) -> list[Entry]:
    """The types that the source names behind `new`, where it is there."""
    said = said_at(asked.call.file, asked.call.line, asked.call.column, is_new=True)
    return [made for each in said if each.is_certain for made in types_meant(asked, each)]


def _is_named(asked: Asked, kind: Entry) -> bool:
    """Whether that is this type and nothing else, and no parameter of a template that is called as it is."""
    named, own = _named(asked), text_of(bare(kind), "DW_AT_name")
    parameters = {
        text_of(part, "DW_AT_name")
        for scope, _ in asked.around
        for each in (*same(scope.entry), class_of(scope.entry))
        if each is not None
        for part in each.iter_children()
        if part.tag == "DW_TAG_template_type_param"
    }
    return (
        bool(named)
        and own not in parameters
        and {type_name(bare(each)) for each in named} == {type_name(kind)}
    )


def _may_be_first(asked: Asked, kind: Entry) -> bool:
    """Whether a structure of this size begins with a field of this class, and so may be what is made: it
    needs no constructor of its own."""
    local = (part for scope, _ in asked.around for part in scope.parts())
    return any(
        begins_with(holder, kind)
        for holder in chain(asked.scope.unit.held, local)
        if holder.tag in STRUCTURES and asked.is_one(holder)
    )


def _template(kind: Entry) -> str:
    """A type's name without the arguments of a template."""
    return type_name(bare(kind)).partition("<")[0]


def _inlined_constructors(asked: Asked) -> list[tuple[Entry, bool]]:
    """Those that the line calls, the one whose column is next first, and whether that tells it from others.

    Where the call of operator new stands at the end of its expression, the constructor does, too; else
    behind it.
    """
    found = [
        (number_of(part, "DW_AT_call_column"), part)
        for part in asked.scope.parts()
        if part.tag == INLINED and number_of(part, "DW_AT_call_line") == asked.call.line and _makes(part)
    ]
    is_told = len(found) == 1 or (asked.call.column != 0 and all(column for column, _ in found))
    behind = sorted((each for each in found if each[0] >= asked.call.column), key=lambda each: each[0])
    return [
        (part, is_told and len({_owner(other) for place, other in found if place == column}) == 1)
        for column, part in (behind if is_told else found)
    ]


def _owner(function: Entry) -> int:
    """The class that a function is a member of, as a number."""
    owner = class_of(function)
    return owner.offset if owner is not None else 0


def _next_call(asked: Asked) -> Iterator[tuple[Entry, bool]]:
    """The constructor that the first call after this one goes to. clang leaves out calls of operator new, so
    that there another may lie between: then it is a guess."""
    calls = _calls_around(asked)
    is_told = any(place == asked.address + 1 for place, _ in calls)
    behind = [part for place, part in calls if place > asked.address + 1]
    for function in map(called_by, behind[:1]):
        if function is not None and _makes(function):
            yield function, is_told


def _is_argument(asked: Asked) -> bool:
    """Whether the call before makes an object, too, whose constructor has not come yet: of `new A(new B)` the
    next one may be A's."""
    before = [(place, part) for place, part in _calls_around(asked) if place < asked.address + 1]
    made = called_by(before[-1][1]) if before else None
    if made is None or not name_of(made).startswith("operator new"):
        return False
    begins = [
        number_of(part, "DW_AT_entry_pc", number_of(part, "DW_AT_low_pc"))
        for part in asked.scope.parts()
        if part.tag == INLINED and _makes(part)
    ]
    return not any(before[-1][0] <= begin <= asked.address for begin in begins)


def _calls_around(asked: Asked) -> list[tuple[int, Entry]]:
    """The calls of the function by the places where they return to."""
    return sorted(calls_among(asked.scope.parts()), key=lambda each: each[0])


def _makes(function: Entry) -> bool:
    """Whether a function is a constructor: it has the name of its class."""
    owner = class_of(function)
    return owner is not None and name_of(function) == name_of(owner).partition("<")[0]


def has_equal_heirs(asked: Asked, kind: Entry) -> bool:
    """Whether a class of this size derives from it, so that it may stand for that one."""
    heirs = asked.scope.unit.heirs.get(getattr(bare(kind), "offset", -1), [])
    return any(asked.is_one(heir) for heir in heirs)
