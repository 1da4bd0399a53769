"""Names of types as people read them: without what a template's arguments are when nobody says otherwise."""

from __future__ import annotations

import re

from malloom.report.names import closing

USUAL = (
    "std::allocator<",
    "std::char_traits<",
    "std::default_delete<",
    "std::less<",
    "std::equal_to<",
    "std::hash<",
    "alloc::alloc::Global",
)
"""Arguments that are left out: their templates have them by themselves."""
STRINGS = {
    "std::__cxx11::basic_string<char>": "std::string",
    "std::basic_string<char>": "std::string",
    "std::__1::basic_string<char>": "std::string",
    "alloc::string::String": "String",
    "alloc::vec::Vec<": "Vec<",
    "alloc::boxed::Box<": "Box<",
}
BLANKS = re.compile(r" (?=>)|(?<=,) +| (?=[*&])")


def readable(name: str) -> str:
    """`std::map<int, std::string>` for all that the compiler writes of it."""
    short = _without_usual(BLANKS.sub("", name)).replace(",", ", ")
    for long, known in STRINGS.items():
        short = short.replace(long, known)
    return short


def _without_usual(name: str) -> str:
    kept, at = "", 0
    while at < len(name):
        usual = next((each for each in USUAL if name.startswith(each, at + 1)), None)
        if name[at] == "," and usual:
            opening = at + len(usual)
            at = closing(name, opening) if usual.endswith("<") else opening + 1
        else:
            kept += name[at]
            at += 1
    return kept


def arguments_of(name: str) -> list[str]:
    """The arguments in the last angle brackets of a function's name, outermost."""
    start = name.find("<", 1)
    if start < 0:
        return []
    inside, found, depth = name[start + 1 : closing(name, start) - 1], [""], 0
    for letter in inside:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found]
