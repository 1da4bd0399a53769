"""Whether the text of a call, and the size that it asked for, are those of a type that is said to be made."""

from __future__ import annotations

import re

from malloom.types.asked import Asked
from malloom.types.constructors import NEW, has_equal_heirs
from malloom.types.counts import PATH, closed, split_arguments
from malloom.types.entries import (
    POINTERS,
    STRUCTURES,
    Entry,
    bare,
    is_structure,
    number_of,
    size_of,
    type_name,
    type_of,
)
from malloom.types.macros import CAPITALS, Macros, expanded, macros_of
from malloom.types.meant import is_declared, names_type, type_of_path, types_meant
from malloom.types.source_text import Said, call_at, call_told, path_of, sizes

KEPT = re.compile(r"\(\s*(?:(?:const|struct|union)\s+)*[\w:]+(?:\s*\*)*\s*\)\s*(?=[\w(])|[\w>.-]+\s*=\s*")
"""A cast, and what it is assigned to: what may stand before a call that gives the same."""
CONSTANT = re.compile(r"[-+]?\d\w*|\"\s*\"|'\s*'|NULL|nullptr|true|false|&.*|")
OF_TEXT = re.compile(r"str\w*\s*\(|^\w+\s*\(\s*\d+\s*\)$")
"""Of calls: strlen, strdup and their like, which tell of characters, or a number of them."""
DEEPEST = 8
"""Of structures that begin with each other."""


def is_size_of(asked: Asked, kind: Entry, said: Said) -> bool:
    """Whether a sizeof of the call is this type's for certain, and its bytes are what was asked for."""
    call, behind = call_told(asked.call.file, asked.call.line, asked.call.column)
    # What is computed of the memory may leave out a header.
    if asked.callee in NEW:
        return True
    if re.match(r"[\s)]*(?:\+|-(?!>))", behind) or not names_type(asked, said):
        return False
    if said.has_more and not is_structure(kind):
        return False
    is_all = said.has_more or not said.count or asked.size == said.count * size_of(kind)
    return is_all and _is_passed_on(asked, call, said)


def _is_passed_on(asked: Asked, call: str, said: Said) -> bool:
    """Whether the bytes that a call names are those that are asked for: a macro may add to them."""
    macros, name = _macros(asked), call.partition("(")[0].strip()
    if said.type.rpartition("::")[2] in macros.definitions:
        return False
    if name in macros.definitions:
        return any(_alike(each, said) for each in sizes(_called(asked, macros, call)))
    is_function = macros.is_whole and not CAPITALS.match(name)
    # Without its definition only the size shows that it added nothing.
    return is_function or is_declared(asked, name) or said.count > 0


def _macros(asked: Asked) -> Macros:
    return macros_of(asked.call.file, asked.scope.entry)


def _called(asked: Asked, macros: Macros, call: str) -> str:
    """The one call that a macro is; empty where it is something else."""
    written = expanded(call, macros, lambda word: is_declared(asked, word))
    text = written.text.strip() if written is not None else ""
    while text:
        kept = KEPT.match(text)
        if text.startswith("(") and closed(text, 0, "(", ")") == len(text):
            text = text[1:-1].strip()
        elif kept:
            text = text[kept.end() :]
        else:
            break
    return text if call_at(text, 1) == text else ""


def _alike(one: Said, other: Said) -> bool:
    return (one.type, one.stars, one.target_of, one.is_certain, one.has_more) == (
        other.type,
        other.stars,
        other.target_of,
        other.is_certain,
        other.has_more,
    )


def is_declared_size(asked: Asked, target: Entry) -> bool:
    """Whether what a call makes, whose pointer is declared to be one to this type, has its size because it is
    of it: a number that is computed somewhere else may be another type's."""
    if asked.callee in NEW:
        return asked.is_one(target) or asked.callee.startswith("_Zna")
    call, _ = call_told(asked.call.file, asked.call.line, asked.call.column)
    macros = _macros(asked)
    if call.partition("(")[0].strip() in macros.definitions:
        call = _called(asked, macros, call)
    if "sizeof" in call:
        # The variable says what is made, whatever the function's name does.
        said = list(sizes(f"malloc({call.partition('(')[2]}"))
        return bool(said) and all(_is_of(asked, each, target) for each in said)
    if size_of(target) == 1:
        return OF_TEXT.search(call) is not None
    return asked.is_one(target) and not _begins_another(asked, target) and _are_no_sizes(asked, call)


def _is_of(asked: Asked, said: Said, target: Entry) -> bool:
    kinds = list(types_meant(asked, said))
    is_same = any(type_name(bare(kind)) == type_name(bare(target)) for kind in kinds)
    return is_same and said.is_certain and not said.has_more and is_size_of(asked, target, said)


def _are_no_sizes(asked: Asked, call: str) -> bool:
    """Whether no argument of a call may be a size that is computed somewhere else: each is a pointer, or said
    there."""
    inner = call[call.find("(") + 1 : -1]
    return bool(call) and all(_is_no_size(asked, each) for each in split_arguments(inner))


def _is_no_size(asked: Asked, argument: str) -> bool:
    if CONSTANT.fullmatch(argument):
        return True
    found = bare(type_of_path(asked, path_of(argument))) if re.fullmatch(PATH, argument) else None
    return found is not None and found.tag in POINTERS


def _begins_another(asked: Asked, kind: Entry) -> bool:
    """Whether another structure of the same size begins with one of this type, as heirs in C do."""
    if has_equal_heirs(asked, kind):
        return True
    name = type_name(bare(kind))
    return any(
        asked.is_one(entry) and type_name(entry) != name and _begins_with(entry, name, DEEPEST)
        for alike in asked.scope.unit.types.values()
        for entry in alike
        if entry.tag in STRUCTURES
    )


def _begins_with(structure: Entry, name: str, depth: int) -> bool:
    firsts = [
        bare(type_of(each))
        for each in structure.iter_children()
        if each.tag == "DW_TAG_member" and not number_of(each, "DW_AT_data_member_location")
    ]
    return depth > 0 and any(
        type_name(each) == name or (each.tag in STRUCTURES and _begins_with(each, name, depth - 1))
        for each in firsts
        if each is not None
    )
