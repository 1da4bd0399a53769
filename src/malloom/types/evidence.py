"""What debug information and the source say of the type that one call makes.

The rules stand in the order in which they are asked. Each takes the function that the call stands in, and
gives the types that it finds, with how it knows and whether that is certain. Certain is what names the type
itself and has the size that was asked for; what only fits is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator

from malloom.report.names import demangle, is_of_library, short_name
from malloom.sites.keys import Call
from malloom.types.asked import Asked, Found, Rule
from malloom.types.constructors import NEW, ONE_NEW, has_equal_heirs, of_constructor
from malloom.types.entries import (
    POINTERS,
    STRUCTURES,
    Entry,
    bare,
    class_of,
    declared_column,
    declared_line,
    has_open_end,
    is_of_c,
    is_structure,
    is_untyped,
    name_of,
    parameters_of,
    pointee,
    size_of,
    type_name,
    type_of,
)
from malloom.types.exact import is_declared_size, is_size_of
from malloom.types.generics import of_generic, of_generic_name
from malloom.types.meant import types_meant, variables_named
from malloom.types.merged import hides_results, may_be_merged
from malloom.types.returned import is_returned
from malloom.types.source_text import Said, call_told, is_whole_initialiser, names, said_at

CONSTANT = "DW_TAG_const_type"
VARIABLE = "DW_TAG_variable"
MAKERS = {"make_unique", "make_unique_for_overwrite"}
"""Functions of C++'s library that make one object of their first parameter by `new`."""
ALLOCATORS, STRINGS = {"allocator", "__new_allocator", "new_allocator"}, {"basic_string"}
OBJECT_BYTES = 8
"""From this size on an object may be told by its size alone."""


def of_allocator(asked: Asked) -> Iterator[Found]:
    """C++: what `std::allocator<T>`, `std::string` and `std::make_unique<T>` are made for."""
    function, owner = asked.scope.name, class_of(asked.scope.entry)
    if not is_library(asked.call):
        return
    template = name_of(owner).partition("<")[0] if owner is not None else ""
    kinds: list[Entry] = []
    if owner is not None and (template in STRINGS or (template in ALLOCATORS and function == "allocate")):
        kinds = parameters_of(owner)[:1]
    elif owner is not None and template == "allocator_traits" and function == "allocate":
        allocator = asked.scope.unit.whole(parameters_of(owner)[0]) if parameters_of(owner) else None
        kinds = parameters_of(allocator)[:1] if allocator is not None else []
    elif function.partition("<")[0] in MAKERS:
        made = [asked.scope.unit.whole(kind) for kind in parameters_of(asked.scope.entry)[:1]]
        kinds = [kind for kind in made if asked.is_one(kind)]
    for kind in map(asked.scope.unit.whole, kinds):
        # Of a type that is nowhere more than declared there is no size to check.
        if asked.fits(kind) or (is_structure(kind) and not size_of(kind)):
            yield Found(
                kind, f"what {template or 'std'}::{function.partition('<')[0]} is made for", is_sure=True
            )


def of_text(asked: Asked) -> Iterator[Found]:
    """What the statement itself names, where the source is there."""
    if not asked.is_direct:
        return
    named = said_at(asked.call.file, asked.call.line, asked.call.column, asked.callee in NEW)
    meant = [(kind, each) for each in named for kind in types_meant(asked, each)]
    said = [
        (kind, each)
        for kind, each in meant
        if _fits_said(asked, kind, each) and not _is_handed_on(asked, kind)
    ]
    # What is named beside it, and not known or of another size, may be what is made.
    all_named = [kind for kind, each in meant if each.is_certain]
    is_alone = len(all_named) == sum(each.is_certain for each in named) and _are_same(all_named)
    certain = [(kind, each) for kind, each in said if each.is_certain and _is_clear(asked, kind, each, meant)]
    found = certain or said
    exact = [(kind, each) for kind, each in found if asked.is_one(kind)]
    for kind, each in (exact or found)[:1]:
        is_sure = bool(certain) and is_alone and not asked.is_edited and not may_be_merged(asked, kind)
        how = f"what {asked.call.file_name}:{asked.call.line} names"
        how += ", a file newer than the program" if asked.is_edited else ""
        has_more = asked.is_longer(kind) and (each.has_more or not asked.fits(kind))
        yield Found(kind, how, is_sure, has_more=has_more)


def _is_clear(asked: Asked, kind: Entry, each: Said, meant: list[tuple[Entry, Said]]) -> bool:
    """Whether what is said means this one type, and was asked for. Of an object that goes on it is what the
    structure is that gets it; where something is added before it, only if one does."""
    getting = {
        _identity(other)
        for other, likely in meant
        if each.has_more and not likely.is_certain and not likely.has_more and is_structure(other)
    }
    is_begin = _identity(kind) in getting if getting else each.is_first
    return is_begin and not _is_one_of_several(asked, each) and is_size_of(asked, kind, each)


def _is_one_of_several(asked: Asked, said: Said) -> bool:
    """Whether the name that is said may mean several types: of variables in different blocks, of classes in
    different namespaces, of templates with different arguments."""
    if said.target_of:
        alike = variables_named(asked, said.target_of[0])
        return len({type_name(type_of(each)) for each in alike}) > 1
    kinds = asked.scope.unit.named(said.type.rpartition("::")[2])
    return len({type_name(bare(kind)) for kind in kinds}) > 1


def _fits_said(asked: Asked, kind: Entry, said: Said) -> bool:
    """Whether the object may be what the statement says; a structure may have more behind it."""
    if said.is_one:
        return asked.is_one(kind)
    return asked.fits(kind) or (asked.is_longer(kind) and (said.has_more or has_open_end(kind)))


def _are_same(kinds: list[Entry]) -> bool:
    return len({_identity(kind) for kind in kinds}) == 1


def _identity(kind: Entry) -> int:
    found = bare(kind)
    return found.offset if found is not None else 0


def of_declaration(asked: Asked) -> Iterator[Found]:
    """What a pointer points to that is declared where the call stands."""
    for variable, target, is_told in _declared(asked) if asked.is_direct else ():
        if asked.fits(target) and not _is_handed_on(asked, target):
            is_alone = _are_same([other for _, other, _ in _declared(asked)])
            is_typed = is_of_c(asked.scope.entry) or not has_equal_heirs(asked, target)
            is_bytes = size_of(target) == 1 and is_untyped(type_of(asked.scope.entry))
            is_sure = (
                is_told and is_typed and is_alone and not is_bytes and _is_all_of(asked, variable, target)
            )
            yield Found(target, f"the variable {name_of(variable)} of its line", is_sure)
            return


def _is_all_of(asked: Asked, variable: Entry, target: Entry) -> bool:
    """Whether the source is there and the variable has what the call gives, and nothing that is found or made
    by what gets it. Bytes of a type's size may be kept for one of that type."""
    place = (asked.call.file, asked.call.line, asked.call.column)
    name, column = name_of(variable), declared_column(variable)
    is_all = is_whole_initialiser(*place, name, asked.callee, asked.callee in NEW, column)
    is_kept = size_of(target) == 1 and "sizeof" in call_told(*place)[0]
    is_meant = is_all and not is_kept and is_declared_size(asked, target)
    return is_meant and not asked.is_edited and not may_be_merged(asked, target)


def _declared(asked: Asked) -> list[tuple[Entry, Entry, bool]]:
    """The pointers that the line of the call declares, their targets, and whether it is told that no macro
    declares them, which may only work with them: the text names no such, and they stand where the macro does,
    as the call."""
    call = asked.call
    return [
        (variable, target, bool(is_named) or declared_column(variable) > 0)
        for variable in asked.scope.variables()
        if call.line and variable.tag == VARIABLE and declared_line(variable) == call.line
        if not call.column or declared_column(variable) < call.column
        if (name := name_of(variable)) and (is_named := names(call.file, call.line, name)) is not False
        if (target := pointee(type_of(variable))) is not None
    ]


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


def gives_it(asked: Asked, inner: str) -> bool:
    """Whether what the function passes on is this memory for certain: else it may be its own. `inner` is the
    name of the function that it calls, as debug information has it; empty where that tells nothing."""
    call, callees = asked.call, frozenset({asked.callee, inner} - {""})
    if is_library(call) or is_new(call):
        return True
    if asked.is_edited or hides_results(asked):
        return False
    return is_returned(call.file, declared_line(asked.scope.entry), call.line, call.column, callees)
