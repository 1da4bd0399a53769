"""Whether the source shows that a function gives its caller what a call in it gives: then the caller knows
what that is for. A function may as well keep the memory for itself, and give something else.

Read is the text alone, so that what is written in another way than is known here counts as not shown.
"""

from __future__ import annotations

import re

from malloom.types.source_text import CLOSING, OPENING, call_at, lines_between

CAST = r"(?:\([\w\s:*]*\*?\s*\)\s*|(?:static|reinterpret)_cast\s*<[^<>;]*>\s*\(\s*)?"
ASSIGNED_TO = re.compile(rf"(?:^\s*|[(,)]\s*|\w[\s*]+)([A-Za-z_]\w*)\s*=\s*{CAST}$")
"""A variable, and not what it points to."""
RETURNED = re.compile(rf"\breturn\b([^;{{}}]*[?:])?[\s(]*{CAST}$")
END_OF_RESULT = re.compile(r"\s*\)*\s*(?:;|:)")
MOST_LINES = 400
"""Of a function that are looked at."""


def is_returned(file: str, begin: int, line: int, column: int) -> bool:
    """Of the call at a place, counted from 1, in the function whose name stands in line `begin`."""
    head, rest = lines_between(file, begin, line, column), lines_between(file, line, line + MOST_LINES)
    call = call_at(rest, column)
    behind = rest[column - 1 + len(call) :]
    if not call or _depth(head) < 1:
        return False
    statement = re.split(r"[;{}]", head)[-1]
    given = RETURNED.search(statement)
    if given is not None:
        return _is_balanced(given[1] or "") and END_OF_RESULT.match(behind) is not None
    assigned = ASSIGNED_TO.search(statement) if re.match(r"\s*[),;]", behind) else None
    return assigned is not None and _gives(_within(behind, _depth(head)), assigned[1], call.partition("(")[0])


def _gives(text: str, variable: str, function: str) -> bool:
    """Whether the variable is returned with what it has, or with what the same function gave once more."""
    result = re.search(rf"\breturn\s*\(*\s*{CAST}{variable}\s*\)*\s*;", text)
    if result is None:
        return False
    between = text[: result.start()]
    anew = re.findall(rf"(?<![\w.>*]){variable}\s*=(?!=)\s*{CAST}(\w*)", between)
    is_changed = re.search(rf"(?<![\w.>]){variable}\s*(?:[-+]=|\+\+|--)|(?:\+\+|--){variable}\b", between)
    return is_changed is None and all(each == function.strip() for each in anew)


def _within(text: str, depth: int) -> str:
    """The text up to the brace that ends the function."""
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if not depth:
            return text[:at]
    return ""


def _depth(text: str) -> int:
    return text.count("{") - text.count("}")


def _is_balanced(text: str) -> bool:
    """Whether it ends outside of all brackets that it opens."""
    return all(
        text.count(opening) == text.count(closing) for opening, closing in zip(OPENING, CLOSING, strict=True)
    )
