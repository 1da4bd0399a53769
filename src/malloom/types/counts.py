"""How many objects the arguments of a call say, and where brackets end."""

from __future__ import annotations

import math
import re

OPENING, CLOSING = "([{", ")]}"
PATH = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"


def counted(call: str, place: int) -> tuple[int, bool]:
    """What a sizeof is multiplied by (0: no number), and whether it is in the first of what is added."""
    begin, end = _part(call, call.find("(") + 1, len(call), place, ",")
    while call[begin:end].lstrip().startswith("(") and closed(call, next_place(call, begin), "(", ")") >= end:
        begin, end = next_place(call, begin) + 1, end - 1
    first, last = _part(call, begin, end, place, "+")
    behind = next_place(call, place + len("sizeof"))
    behind = (
        closed(call, behind, "(", ")") if call[behind : behind + 1] == "(" else _behind_path(call, behind)
    )
    return _product(f"{call[first:place]} 1 {call[behind:last]}"), first == begin


def _behind_path(call: str, at: int) -> int:
    found = re.compile(rf"[*\s]*(?:{PATH})(?:\s*\[[^][]*\])?").match(call, at)
    return found.end() if found else at


def _part(text: str, begin: int, end: int, place: int, separator: str) -> tuple[int, int]:
    """The one that a place lies in, of those that separators part, which stand in no brackets."""
    at = begin
    while at < end:
        if text[at] in OPENING:
            at = closed(text, at, OPENING, CLOSING)
            continue
        if text[at] in CLOSING:
            return begin, at
        if text[at : at + 1] == separator and text[at - 1 : at + 2].count("+") < 2:
            if at > place:
                return begin, at
            begin = at + 1
        at += 1
    return begin, end


def _product(text: str) -> int:
    """Of numbers; 0 where it has something else."""
    plain = re.sub(r"\(\s*(?:size_t|int|unsigned|long)\s*\)|[()\s]", "", text)
    if not re.fullmatch(r"\d{1,18}[uUlL]{0,3}(?:\*\d{1,18}[uUlL]{0,3})*", plain):
        return 0
    return math.prod(int(each.rstrip("uUlL"), 10) for each in plain.split("*"))


def count_beside(call: str, place: int) -> int:
    """The number of objects that the other arguments say; 0 where that is none or not known."""
    name, _, arguments = call.partition("(")
    begin, end = _part(call, len(name) + 1, len(call), place, ",")
    beside = (arguments[: max(begin - len(name) - 2, 0)], call[end:].strip(",) "))
    others = [each for each in beside if each.strip()]
    if not others or ("array" not in name and re.search("realloc|align", name)):
        return 1
    return _product("*".join(others)) if "calloc" in name else 0


def next_place(statement: str, at: int) -> int:
    """The first place from there on that is no space."""
    return len(statement) - len(statement[at:].lstrip())


def closed(statement: str, at: int, opening: str, closing: str) -> int:
    """Behind the bracket that closes the one at a place."""
    depth = 0
    for place in range(at, len(statement)):
        depth += (statement[place] in opening) - (statement[place] in closing)
        if not depth:
            return place + 1
    return len(statement)


def split_arguments(inner: str) -> list[str]:
    """What commas part that stand in no brackets."""
    found, depth, last = [], 0, 0
    for at, letter in enumerate(inner):
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "," and not depth:
            found.append(inner[last:at].strip())
            last = at + 1
    return [*found, inner[last:].strip()]
