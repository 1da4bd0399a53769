"""Entries of debug information (DWARF) as questions about types ask for them: names, sizes, targets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

Entry = Any
"""A DIE of pyelftools."""

QUALIFIERS = {
    "DW_TAG_const_type",
    "DW_TAG_volatile_type",
    "DW_TAG_restrict_type",
    "DW_TAG_atomic_type",
    "DW_TAG_typedef",
}
STRUCTURES = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}
POINTERS = {"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"}
CONTINUED = ("DW_AT_abstract_origin", "DW_AT_specification")
"""What names the entry that says the rest: of a copy that was inlined, of a member outside its class."""
HOLDERS = STRUCTURES | {"DW_TAG_namespace", "DW_TAG_enumeration_type"}
KEYWORDS = {
    "DW_TAG_structure_type": "struct ",
    "DW_TAG_union_type": "union ",
    "DW_TAG_enumeration_type": "enum ",
}
C_LANGUAGES = {0x01, 0x02, 0x0C, 0x1D, 0x2C, 0x3E}
"""DW_LANG_C89, C, C99, C11, C17, C23."""
RUST = 0x1C
"""DW_LANG_Rust."""
MOST_STEPS = 64
"""Of a chain of entries: more are damage."""
POINTER_BYTES = 8


def text_of(entry: Entry, name: str) -> str:
    """An attribute that is a text; empty where there is none."""
    found = entry.attributes.get(name)
    if found is None:
        return ""
    return found.value.decode(errors="replace") if isinstance(found.value, bytes) else ""


def number_of(entry: Entry, name: str, otherwise: int = 0) -> int:
    """An attribute that is a number; `otherwise` where there is none, or it is worked out at run time."""
    found = entry.attributes.get(name)
    return found.value if found is not None and isinstance(found.value, int) else otherwise


def same(entry: Entry) -> Iterator[Entry]:
    """The entry, then those that say the rest of what it is."""
    for _ in range(MOST_STEPS):
        yield entry
        name = next((name for name in CONTINUED if name in entry.attributes), None)
        if name is None:
            return
        entry = entry.get_DIE_from_attribute(name)


def name_of(entry: Entry) -> str:
    """Its own name, wherever it is said."""
    return next((name for each in same(entry) if (name := text_of(each, "DW_AT_name"))), "")


def declared_line(entry: Entry) -> int:
    return _declared(entry, "DW_AT_decl_line")


def declared_column(entry: Entry) -> int:
    """0 where it is not told."""
    return _declared(entry, "DW_AT_decl_column")


def declared_file(entry: Entry) -> str:
    """The path of the source file that it is declared in; empty where it is not told."""
    told = next((each for each in same(entry) if "DW_AT_decl_file" in each.attributes), None)
    program = told.dwarfinfo.line_program_for_CU(told.cu) if told is not None else None
    if told is None or program is None:
        return ""
    # Version 5 counts files and folders from 0; before that, folder 0 is that of the compilation.
    first = 0 if program["version"] >= 5 else 1
    files, folders = program["file_entry"], program["include_directory"]
    number = number_of(told, "DW_AT_decl_file") - first
    if not 0 <= number < len(files):
        return ""
    at = files[number].dir_index - first
    folder = folders[at].decode(errors="replace") if 0 <= at < len(folders) else ""
    own = text_of(told.cu.get_top_DIE(), "DW_AT_comp_dir")
    return str(Path(own, folder, files[number].name.decode(errors="replace")))


def _declared(entry: Entry, where: str) -> int:
    return next((number for each in same(entry) if (number := number_of(each, where))), 0)


def type_of(entry: Entry) -> Entry | None:
    """The type that an entry has; None: void, or none."""
    for each in same(entry):
        if "DW_AT_type" in each.attributes:
            return each.get_DIE_from_attribute("DW_AT_type")
    return None


def bare(kind: Entry | None) -> Entry | None:
    """A type without other names and qualifiers."""
    for _ in range(MOST_STEPS):
        if kind is None or kind.tag not in QUALIFIERS:
            return kind
        kind = type_of(kind)
    return None


def is_structure(kind: Entry | None) -> bool:
    found = bare(kind)
    return found is not None and found.tag in STRUCTURES


def has_open_end(kind: Entry | None) -> bool:
    """Whether a structure ends with an array that programs make longer than it is declared."""
    found = bare(kind)
    if found is None or found.tag not in STRUCTURES - {"DW_TAG_union_type"}:
        return False
    last = None
    for child in found.iter_children():
        last = child if child.tag == "DW_TAG_member" else last
    inner = bare(type_of(last)) if last is not None else None
    return inner is not None and inner.tag == "DW_TAG_array_type" and size_of(inner) <= POINTER_BYTES


def pointee(kind: Entry | None) -> Entry | None:
    """What a pointer points to; None where it is no pointer, or one to anything."""
    found = bare(kind)
    return type_of(found) if found is not None and found.tag in POINTERS else None


def is_untyped(kind: Entry | None) -> bool:
    """Whether a value of this type may be a pointer to anything: void*, char*, or a number of its size."""
    found = bare(kind)
    if found is None:
        return False
    if found.tag in POINTERS:
        target = bare(type_of(found))
        return target is None or (target.tag == "DW_TAG_base_type" and size_of(target) == 1)
    return bool(found.tag == "DW_TAG_base_type" and size_of(found) == POINTER_BYTES)


def size_of(kind: Entry | None) -> int:
    """Bytes; 0 where they are not known."""
    found = bare(kind)
    if found is None:
        return 0
    if "DW_AT_byte_size" in found.attributes:
        return number_of(found, "DW_AT_byte_size")
    if found.tag in POINTERS:
        return POINTER_BYTES
    if found.tag == "DW_TAG_array_type":
        return size_of(type_of(found)) * elements_of(found)
    return 0


def elements_of(array: Entry) -> int:
    """How many elements an array has; 0 where the type does not say."""
    count = 1
    for each in array.iter_children():
        if each.tag == "DW_TAG_subrange_type":
            upper = number_of(each, "DW_AT_upper_bound", -1)
            count *= number_of(each, "DW_AT_count", upper + 1)
    return max(count, 0)


def type_name(kind: Entry | None) -> str:
    """As the source would write it: `struct node`, `shapes::Named<int>`, `char*`."""
    return _name(kind, MOST_STEPS)


def _name(kind: Entry | None, steps: int) -> str:
    if kind is None or not steps:
        return "void"
    if kind.tag in POINTERS and not text_of(kind, "DW_AT_name"):
        return _name(type_of(kind), steps - 1) + ("*" if kind.tag == "DW_TAG_pointer_type" else "&")
    if kind.tag == "DW_TAG_array_type":
        count = elements_of(kind)
        return f"{_name(type_of(kind), steps - 1)}[{count or ''}]"
    if kind.tag == "DW_TAG_subroutine_type":
        return "function"
    if kind.tag in QUALIFIERS and kind.tag != "DW_TAG_typedef":
        return _name(type_of(kind), steps - 1)
    own = text_of(kind, "DW_AT_name")
    keyword = KEYWORDS.get(kind.tag, "") if is_of_c(kind) else ""
    return keyword + (qualified(kind, own) if own else "(unnamed)")


def qualified(entry: Entry, own: str) -> str:
    """A name with those of the namespaces and classes around it."""
    parts, around = [own], entry.get_parent()
    while around is not None and around.tag in HOLDERS:
        parts.append(text_of(around, "DW_AT_name") or "(anonymous)")
        around = around.get_parent()
    return "::".join(reversed(parts))


def language_of(entry: Entry) -> int:
    """DW_LANG of the unit that the entry lies in."""
    return number_of(entry.cu.get_top_DIE(), "DW_AT_language")


def is_of_c(entry: Entry) -> bool:
    return language_of(entry) in C_LANGUAGES


def parameters_of(entry: Entry, name: str = "") -> list[Entry]:
    """The types that a template, or a generic function, is made with: all, or those of this name."""
    return [
        found
        for each in same(entry)
        for child in each.iter_children()
        if child.tag == "DW_TAG_template_type_param" and name in ("", text_of(child, "DW_AT_name"))
        if (found := type_of(child)) is not None
    ]


def class_of(function: Entry) -> Entry | None:
    """The class that a function is a member of."""
    for each in same(function):
        around = each.get_parent()
        if around is not None and around.tag in STRUCTURES:
            return around
    return None
