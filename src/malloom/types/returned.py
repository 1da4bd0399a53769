"""Whether the source shows that a function gives its caller what a call in it gives: then the caller knows
what that is for. A function may as well keep the memory for itself, and give something else.

Read is the text alone, and only functions of a plain form count: what is written in another way is not shown.
Sources are untrusted: no expression here takes more than a few steps for each letter.
"""

from __future__ import annotations

import re
from functools import lru_cache

from malloom.types.source_text import FURTHER_CALL, call_at, lines_between

POINTER_CAST = re.compile(r"\([\w: ]+\*+ ?\)")
CPP_CAST = re.compile(r"\b(?:static|reinterpret)_cast ?<[^<>;()]{1,100}> ?(?=\()")
DECLARED = re.compile(r"^([\w:]+)[\w: ]*[ *]+(\w+) ?= ?\(*$")
ASSIGNED = re.compile(r"^(?:(?:if|while) ?\([!( ]*)?(\w+) ?= ?\(*$")
RETURNED = re.compile(r"^return ?\(*$")
RETURN = re.compile(r"\breturn\b([^;]{0,200});")
KEYWORDS = {"else", "do", "return", "case", "goto", "delete", "throw"}
CONSTANTS = {"NULL", "0", "nullptr", "false"}
UNPLAIN = re.compile(r'^[ \t]*#|\\$|\bgoto\b|\bR"|\[[\w\s,&=*]{0,80}\]\s*[({]', re.MULTILINE)
"""Lines of the preprocessor's, jumps, raw strings and lambdas: braces and results may be another's there."""
LOOP = re.compile(r"\b(?:for|while|do)\b")
SPACES = re.compile(r"\s+")
MOST_LINES, MOST_LETTERS = 400, 1 << 15
"""Of a function that are looked at."""


@lru_cache(maxsize=4096)
def is_returned(file: str, begin: int, line: int, column: int, callees: frozenset[str]) -> bool:
    """Of the call at a place, counted from 1, in the function whose name stands in line `begin`. `callees`
    are the names of what is called there: a macro has another, and of a call within the arguments the same
    place is told."""
    head = lines_between(file, begin, line, column)
    rest = lines_between(file, line, line + MOST_LINES)[: column + MOST_LETTERS]
    call = call_at(rest, column) if len(head) <= MOST_LETTERS else ""
    called, _, arguments = call.partition("(")
    behind = _within(rest[column - 1 + len(call) :], head.count("{") - head.count("}"))
    is_plain = not UNPLAIN.search(f"{head}\n{call}{behind}") and not FURTHER_CALL.search(arguments)
    if called.strip() not in callees or not is_plain:
        return False
    statement = _statement(head)
    if not _is_all(statement, behind):
        return False
    if RETURNED.match(statement):
        return True
    declared, assigned = DECLARED.match(statement), ASSIGNED.match(statement)
    if declared and declared[1] not in KEYWORDS:
        # Where the block of a variable ends another of its name may be meant.
        return _gives(_within(behind + "}", 1), declared[2], call)
    # In a loop what stands before comes after it, too.
    return (
        assigned is not None
        and not (LOOP.search(head) and RETURN.search(head))
        and _gives(behind, assigned[1], call)
    )


def _statement(head: str) -> str:
    """The begin of the one that a text ends in, without casts, and without conditions that are closed."""
    text = SPACES.sub(" ", re.split(r"[;{}]", head)[-1]).strip()
    text = CPP_CAST.sub("", POINTER_CAST.sub("", text)).removeprefix("else ")
    depth = 0
    for at, letter in enumerate(text if re.match(r"if ?\(", text) else ""):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and not depth:
            return text[at + 1 :].strip()
    return text.strip()


def _is_all(statement: str, behind: str) -> bool:
    """Whether nothing is computed of what the call gives, but for a test of what it was assigned to."""
    text = SPACES.sub("", behind[:100])
    if re.match(r"(?:if|while) ?\(", statement):
        return text.startswith(")")
    return text.startswith(")" * (statement.count("(") - statement.count(")")) + ";")


def _gives(text: str, variable: str, call: str) -> bool:
    """Whether each result from there on is the variable or a constant, and the variable has what it had: only
    where the call gave nothing the same one is made again."""
    casts = [POINTER_CAST.sub("", SPACES.sub(" ", each)).strip(" ()") for each in RETURN.findall(text)]
    if variable not in casts or not CONSTANTS.issuperset(each for each in casts if each != variable):
        return False
    name = re.escape(variable)
    is_changed = re.search(
        rf"& ?{name}\b|\b{name} ?(?:[-+|&^*/%]=|<<=|>>=|\+\+|--)|(?:\+\+|--) ?{name}\b", text
    )
    is_handed = re.search(rf"\b(?:swap|exchange|[A-Z][A-Z_0-9]+) ?\([^;]{{0,200}}\b{name}\b", text)
    is_another = not KEYWORDS.issuperset(re.findall(rf"\b(\w+)[ *]+{name} ?[=;,)]", text))
    if is_changed or is_handed or is_another:
        return False
    anew = [found.span() for found in re.finditer(rf"(?<![\w.>]){name} ?=(?!=)", text)]
    if not anew:
        return True
    before, after = text[: anew[0][0]], text[anew[0][1] :]
    is_same = SPACES.sub("", POINTER_CAST.sub("", after)).startswith(SPACES.sub("", call) + ";")
    is_tested = re.search(
        rf"\b(?:if|while) ?\( ?! ?{name} ?\)|\b(?:if|while) ?\( ?{name} ?== ?\w+ ?\)", before
    )
    return len(anew) == 1 and is_same and bool(is_tested) and len(re.findall(rf"\b{name}\b", before)) == 1


def _within(text: str, depth: int) -> str:
    """The text up to the brace that ends what is so many braces deep; empty where it does not."""
    for found in re.finditer(r"[{}]", text) if depth > 0 else ():
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return text[: found.start()]
    return ""
