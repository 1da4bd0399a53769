"""What debug information and the source say of the type that one call makes.

The rules stand in the order in which they are asked. Each takes the function that the call stands in, and
gives the types that it finds, with how it knows and whether that is certain. Certain is what names the type
itself and has the size that was asked for; what only fits is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from malloom.report.names import demangle, is_of_library, short_name
from malloom.sites.keys import Call
from malloom.types.entries import (
    POINTERS,
    STRUCTURES,
    Entry,
    bare,
    class_of,
    declared_line,
    has_open_end,
    is_of_c,
    is_structure,
    is_untyped,
    language_of,
    name_of,
    number_of,
    parameters_of,
    pointee,
    size_of,
    text_of,
    type_of,
)
from malloom.types.names import arguments_of
from malloom.types.source_text import Said, said_at
from malloom.types.units import Scope

CONSTANT = "DW_TAG_const_type"
VARIABLE = "DW_TAG_variable"
INLINED = "DW_TAG_inlined_subroutine"
CALLED = ("DW_AT_call_origin", "DW_AT_abstract_origin")
CALLS = ("DW_TAG_call_site", "DW_TAG_GNU_call_site")
RUST = 0x1C
"""DW_LANG_Rust."""
ONE_NEW = {"_Znwm", "_ZnwmSt11align_val_t", "_ZnwmRKSt9nothrow_t"}
NEW = ONE_NEW | {"_Znam", "_ZnamRKSt9nothrow_t"}
"""Operator new, as the linker knows it."""
MAKERS = {"make_unique", "make_unique_for_overwrite"}
"""Functions of C++'s library that make one object of their first parameter by `new`."""
CONTAINERS = re.compile(
    r"/library/alloc/src/(boxed|rc|sync|raw_vec|vec|slice|collections)\b|/hashbrown-[\d.]+/src/raw/"
)
"""Files of Rust's library in which memory is asked for on behalf of a type."""
ARRAYS = {"raw_vec", "vec", "slice", "collections"}
"""Those that ask for several at once."""
HASH_TABLE, GROUP = "hashbrown", 16
"""Rust's hash tables, and the bytes that these look at together."""
PRIMITIVES = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "char": 4}
PRIMITIVES |= {"u64": 8, "i64": 8, "usize": 8, "isize": 8, "f64": 8, "u128": 16, "i128": 16}
"""Rust's own types, and their sizes."""
OBJECT_BYTES = 8
"""From this size on an object may be told by its size alone."""


@dataclass(frozen=True)
class Asked:
    """A call that asks for memory, at one of the functions that it stands in."""

    scope: Scope
    call: Call
    address: int
    callee: str
    """That the machine's call goes to, as the linker knows it; empty where the call is inlined further."""
    size: int | None
    """Bytes that were asked for; None: of several sizes."""
    is_direct: bool
    """Whether no function of a language's library lies between: then the statement is about the object."""

    def fits(self, kind: Entry | None) -> bool:
        """Whether the object may be one of this type, or an array of such."""
        each = size_of(kind)
        return each != 0 and (self.size is None or (self.size >= each and self.size % each == 0))

    def is_longer(self, kind: Entry | None) -> bool:
        """Whether it may be one structure of this type with something behind it."""
        return is_structure(kind) and self.size is not None and 0 < size_of(kind) < self.size

    def is_one(self, kind: Entry | None) -> bool:
        return self.size is not None and size_of(kind) == self.size


@dataclass(frozen=True)
class Found:
    """A type, and how it is known."""

    kind: Entry | None
    how: str
    is_sure: bool = False
    named: tuple[str, int] = ("void", 0)
    """Name and size of what has no entry."""
    has_more: bool = False
    """Whether something lies behind the one object of this type."""


Rule = Callable[[Asked], Iterator[Found]]


def of_allocator(asked: Asked) -> Iterator[Found]:
    """C++: what `std::allocator<T>`, `std::string` and `std::make_unique<T>` are made for."""
    function, owner = asked.scope.name, class_of(asked.scope.entry)
    template = name_of(owner).partition("<")[0] if owner is not None else ""
    if owner is not None and (
        ("allocator" in template and function == "allocate") or template == "basic_string"
    ):
        kinds = [asked.scope.unit.whole(kind) for kind in parameters_of(owner)[:1]]
    elif is_library(asked.call) and function.partition("<")[0] in MAKERS:
        made = [asked.scope.unit.whole(kind) for kind in parameters_of(asked.scope.entry)[:1]]
        kinds = [kind for kind in made if asked.is_one(kind)]
    else:
        return
    for kind in kinds:
        # Of a type that is nowhere more than declared there is no size to check.
        if asked.fits(kind) or (is_structure(kind) and not size_of(kind)):
            yield Found(
                kind, f"what {template or 'std'}::{function.partition('<')[0]} is made for", is_sure=True
            )


def of_generic(asked: Asked) -> Iterator[Found]:
    """Rust: the T that a box, a vector or another container of its library is made for."""
    place = CONTAINERS.search(asked.call.file) if language_of(asked.scope.entry) == RUST else None
    if place is None:
        return
    container = place[1] or HASH_TABLE
    for kind in parameters_of(asked.scope.entry, "T"):
        is_several = asked.fits(kind) if container in ARRAYS else _is_hash_table(asked, kind, container)
        if asked.is_one(kind) or is_several:
            yield Found(kind, f"the T of {short_name(asked.scope.name)} in {container}", is_sure=True)
            return


def of_generic_name(asked: Asked) -> Iterator[Found]:
    """The same of Rust's precompiled library, whose functions only have it in their names."""
    place = CONTAINERS.search(asked.call.file) if language_of(asked.scope.entry) == RUST else None
    if place is None or place[1] not in ARRAYS:
        return
    for name in arguments_of(asked.scope.name)[:1]:
        if name in PRIMITIVES and (asked.size is None or asked.size % PRIMITIVES[name] == 0):
            how = f"the T of {short_name(asked.scope.name)} in {place[1]}"
            yield Found(None, how, is_sure=True, named=(name, PRIMITIVES[name]))


def _is_hash_table(asked: Asked, kind: Entry, container: str) -> bool:
    """Whether a table of hashbrown has this size: entries, a power of two, a byte for each and a group."""
    if container != HASH_TABLE or asked.size is None or not size_of(kind):
        return False
    sizes = (-(-(size_of(kind) << power) // GROUP) * GROUP + (1 << power) + GROUP for power in range(2, 48))
    return asked.size in sizes


def of_constructor(asked: Asked) -> Iterator[Found]:
    """C++: the class whose constructor is called next, in the same line."""
    if asked.callee not in NEW or not asked.is_direct:
        return
    for made, is_certain in (*_inlined_constructors(asked), *_next_call(asked)):
        owner = class_of(made)
        kind = asked.scope.unit.whole(owner) if owner is not None else None
        if kind is not None and asked.is_one(kind):
            is_sure = is_certain and not _has_equal_heirs(asked, kind)
            yield Found(kind, "the constructor that is called next", is_sure)
            return


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
    return [(part, is_told) for _, part in (behind if is_told else found)]


def _next_call(asked: Asked) -> Iterator[tuple[Entry, bool]]:
    """The constructor that the first call after this one goes to."""
    calls = [
        (place, part)
        for part in asked.scope.parts()
        if part.tag in CALLS
        and (place := number_of(part, "DW_AT_call_return_pc", number_of(part, "DW_AT_low_pc")))
        > asked.address + 1
    ]
    for _, part in sorted(calls, key=lambda each: each[0])[:1]:
        name = next((name for name in CALLED if name in part.attributes), "")
        if name and _makes(function := part.get_DIE_from_attribute(name)):
            yield function, True


def _makes(function: Entry) -> bool:
    """Whether a function is a constructor: it has the name of its class."""
    owner = class_of(function)
    return owner is not None and name_of(function) == name_of(owner).partition("<")[0]


def _has_equal_heirs(asked: Asked, kind: Entry) -> bool:
    """Whether a class of this size derives from it, so that it may stand for that one."""
    heirs = asked.scope.unit.heirs.get(getattr(bare(kind), "offset", -1), [])
    return any(asked.is_one(heir) for heir in heirs)


def of_text(asked: Asked) -> Iterator[Found]:
    """What the statement itself names, where the source is there."""
    if not asked.is_direct:
        return
    said = [
        (kind, each)
        for each in said_at(asked.call.file, asked.call.line, asked.call.column, asked.callee in NEW)
        for kind in _meant(asked, each)
        if _fits_said(asked, kind, each) and not _is_handed_on(asked, kind)
    ]
    certain = [(kind, each) for kind, each in said if each.is_certain]
    found = certain or said
    exact = [(kind, each) for kind, each in found if asked.is_one(kind)]
    for kind, each in (exact or found)[:1]:
        is_sure = bool(certain) and len({_identity(other) for other, _ in certain}) == 1
        how = f"what {asked.call.file_name}:{asked.call.line} names"
        has_more = asked.is_longer(kind) and (each.has_more or not asked.fits(kind))
        yield Found(kind, how, is_sure, has_more=has_more)


def _fits_said(asked: Asked, kind: Entry, said: Said) -> bool:
    """Whether the object may be what the statement says; a structure may have more behind it."""
    return asked.fits(kind) or (asked.is_longer(kind) and (said.has_more or has_open_end(kind)))


def _identity(kind: Entry) -> int:
    found = bare(kind)
    return found.offset if found is not None else 0


def _meant(asked: Asked, said: Said) -> Iterator[Entry]:
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
    declared = (each for each in asked.scope.variables() if name_of(each) == path[0])
    variable = next(declared, None) or asked.scope.unit.variables.get(path[0])
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


def of_declaration(asked: Asked) -> Iterator[Found]:
    """What a pointer points to that is declared where the call stands."""
    for variable in asked.scope.variables() if asked.is_direct else ():
        target = pointee(type_of(variable)) if variable.tag == VARIABLE else None
        if target is None or not asked.call.line or declared_line(variable) != asked.call.line:
            continue
        if asked.fits(target) and name_of(variable) and not _is_handed_on(asked, target):
            is_typed = is_of_c(asked.scope.entry) or not _has_equal_heirs(asked, target)
            is_sure = is_typed and not (size_of(target) == 1 and is_untyped(type_of(asked.scope.entry)))
            yield Found(target, f"the variable {name_of(variable)} of its line", is_sure)
            return


def _is_handed_on(asked: Asked, kind: Entry) -> bool:
    """Whether these are bytes that the caller knows more of: the function gives a pointer to anything."""
    result = bare(type_of(asked.scope.entry))
    is_to_anything = result is not None and result.tag in POINTERS and type_of(result) is None
    return is_to_anything and size_of(kind) == 1


def of_pointers(asked: Asked) -> Iterator[Found]:
    """The only type of this size that the function has pointers to, or gives one to."""
    if not asked.is_direct:
        return
    kinds: dict[int, Entry] = {}
    results = [type_of(asked.scope.entry)]
    for holder in [type_of(each) for each in asked.scope.variables()] + results:
        target = pointee(holder)
        inner = bare(target)
        if target is None or inner is None:
            continue
        for kind in (target, *_targets_of_fields(inner)):
            if asked.is_one(kind) and (found := bare(kind)) is not None and size_of(kind) >= OBJECT_BYTES:
                kinds.setdefault(found.offset, kind)
    if len(kinds) == 1:
        yield Found(next(iter(kinds.values())), "the only type of this size at hand there")


def _targets_of_fields(structure: Entry) -> Iterator[Entry]:
    """What the fields of a structure point to."""
    if structure.tag in STRUCTURES:
        for child in structure.iter_children():
            target = pointee(type_of(child)) if child.tag == "DW_TAG_member" else None
            if target is not None:
                yield target


def of_held(asked: Asked) -> Iterator[Found]:
    """The only type that fits of those that the function's own variables, and its result, point to: not to
    what is constant, as new memory is written. A structure comes before bytes and numbers."""
    if not asked.is_direct:
        return
    variables = [type_of(each) for each in asked.scope.variables() if each.tag == VARIABLE]
    targets = [pointee(kind) for kind in (*variables, type_of(asked.scope.entry))]
    fitting = [
        kind
        for kind in targets
        if kind is not None and kind.tag != CONSTANT and not _is_handed_on(asked, kind)
        if (asked.fits(kind) and (asked.callee not in ONE_NEW or asked.is_one(kind)))
        or (asked.is_longer(kind) and has_open_end(kind))
    ]
    kinds = [kind for kind in fitting if is_structure(kind)] or fitting
    if len({_identity(kind) for kind in kinds}) == 1:
        how = "the only type that fits of what its variables point to"
        yield Found(kinds[0], how, has_more=not asked.fits(kinds[0]))


def of_size(asked: Asked) -> Iterator[Found]:
    """The only structure of the whole unit that has this size."""
    if not asked.is_direct:
        return
    fitting = {
        entry.offset: entry
        for alike in asked.scope.unit.types.values()
        for entry in alike
        if entry.tag in STRUCTURES and asked.is_one(entry) and asked.size and asked.size > OBJECT_BYTES
    }
    if len(fitting) == 1:
        yield Found(next(iter(fitting.values())), "the only structure of this size in its source file")


def is_new(call: Call) -> bool:
    """Whether the call stands in operator new, perhaps the program's own: it is no more than malloc."""
    return call.function in NEW


def is_library(call: Call) -> bool:
    return is_of_library(short_name(demangle(call.function)), call.file)


RULES: tuple[Rule, ...] = (
    of_allocator,
    of_generic,
    of_generic_name,
    of_constructor,
    of_text,
    of_declaration,
    of_pointers,
)


def first_found(asked: Asked, rules: tuple[Rule, ...] = RULES) -> Found | None:
    """What the first rule says that knows; a certain one comes before a guess."""
    guess: Found | None = None
    for rule in rules:
        for found in rule(asked):
            if found.is_sure:
                return found
            guess = guess or found
    return guess


def passes_on(asked: Asked) -> bool:
    """Whether the function may give what it gets to its caller, who knows what it is for: xmalloc does."""
    return is_library(asked.call) or is_untyped(type_of(asked.scope.entry))
