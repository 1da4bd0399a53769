"""What the source says where it makes an object: the types that `new`, `sizeof` and casts name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from malloom.input_file import opened_ordinary

NAME = r"(?:(?:struct|union|class|enum)\s+)?((?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
NEW = re.compile(rf"\bnew\s+(?:\([^()]*\)\s*)?(?:const\s+)?{NAME}\s*(\**)")
SIZE_OF_TYPE = re.compile(rf"\bsizeof\s*\(\s*(?:const\s+)?{NAME}\s*(\**)\s*\)")
PATH = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"
SIZE_OF_TARGET = re.compile(rf"\bsizeof\s*\(?\s*(?:\*\s*\(?\s*({PATH})|({PATH})\s*\[)")
CAST = re.compile(rf"\(\s*(?:const\s+)?{NAME}\s*(\*+)\s*\)\s*[A-Za-z_]")
MAKER = r"\b[A-Za-z_]\w*(?i:new|alloc)\w*\s*\(\s*"
OF_MACRO = re.compile(rf"{MAKER}{NAME}\s*(\**)\s*[,)]")
POINTED_TO = re.compile(rf",\s*(?:const\s+)?{NAME}\s*(\*+)\s*,")
INTO_MACRO = re.compile(rf"{MAKER}({PATH})\s*[,)]")
ASSIGNED = re.compile(rf"(?:^|[\s*;{{(])({PATH})\s*=(?!=)")
SUM, DIFFERENCE = re.compile(r"(?<!\+)\+(?![+=])"), re.compile(r"(?<!-)-(?![->=])")
MOST_LINES = 4
"""Of one statement that are looked at."""
LARGEST_FILE = 16 << 20


@dataclass(frozen=True)
class Said:
    """A type that a statement names, or an expression that points to one."""

    type: str = ""
    """With the namespaces that are written there."""
    stars: int = 0
    """How often it is a pointer to that type."""
    target_of: tuple[str, ...] = ()
    """A variable, then fields, whose target is meant."""
    is_certain: bool = True
    """Whether the call says that it makes one; else a cast, a macro or another call is read as if it did."""
    has_more: bool = False
    """Whether something is added to the size: one object, and what lies behind it."""


def said_at(file: str, line: int, column: int, is_new: bool) -> list[Said]:
    """What the statement says that begins in this line; nothing where the file is not there.

    `column` (0: not known) tells which of several calls in the line is meant, `is_new` that it is one of
    operator new.
    """
    statement = _statement(file, line)
    if is_new:
        return [*_of_new(statement, column), *_assigned(statement)]
    call = _call(statement, column)
    certain = list(_sizes(call or statement))
    # Without its column it may be another call of the statement that a type is the size of.
    return [*(certain if call else [_doubted(each) for each in certain]), *_likely(statement)]


def names(file: str, line: int, word: str) -> bool | None:
    """Whether the statement that begins in a line has the word; None where the file is not there."""
    statement = _statement(file, line)
    return re.search(rf"\b{re.escape(word)}\b", statement) is not None if statement else None


def _of_new(statement: str, column: int) -> list[Said]:
    """Compilers give the begin of the expression, or its end."""
    found = [each for each in NEW.finditer(statement) if not column or each.start() < column]
    said = [Said(each[1], len(each[2])) for each in found]
    return said[-1:] if column else [_doubted(each) for each in said]


def _doubted(said: Said) -> Said:
    return replace(said, is_certain=False)


def _sizes(call: str) -> Iterator[Said]:
    """A difference is the size of no whole object."""
    terms = _outermost(call)
    has_more, is_certain = SUM.search(terms) is not None, DIFFERENCE.search(terms) is None
    for found in SIZE_OF_TYPE.finditer(call):
        yield Said(found[1], len(found[2]), is_certain=is_certain, has_more=has_more)
    for found in SIZE_OF_TARGET.finditer(call):
        path = _path(found[1] or found[2])
        yield Said(target_of=path, is_certain=is_certain, has_more=has_more)


def _outermost(call: str) -> str:
    """A call's arguments without what stands in further brackets."""
    kept, depth = "", 0
    for letter in call:
        depth += letter in "(["
        kept += letter if depth == 1 else ""
        depth -= letter in ")]"
    return kept


def _path(text: str) -> tuple[str, ...]:
    return tuple(re.split(r"->|\.", text))


def _likely(statement: str) -> Iterator[Said]:
    for found in (*_casts(statement), *POINTED_TO.finditer(statement)):
        yield Said(found[1], len(found[2]) - 1, is_certain=False)
    for found in OF_MACRO.finditer(statement):
        yield Said(found[1], len(found[2]), is_certain=False)
    # Some macros want the variable, and not its type.
    for found in INTO_MACRO.finditer(statement):
        yield Said(target_of=_path(found[1]), is_certain=False)
    yield from _assigned(statement)


def _casts(statement: str) -> Iterator[re.Match[str]]:
    """Those of a call's result, and of what is no argument."""
    for found in CAST.finditer(statement):
        is_argument = statement[: found.start()].rstrip().endswith(("(", ","))
        if not is_argument or re.match(r"\w*\s*\(", statement[found.end() :]):
            yield found


def _assigned(statement: str) -> Iterator[Said]:
    for found in ASSIGNED.finditer(statement):
        yield Said(target_of=_path(found[1]), is_certain=False)


def _call(statement: str, column: int) -> str:
    """The call that begins at a column, to the bracket that ends it; empty where none begins there."""
    text = statement[column - 1 :] if column else ""
    if not re.match(r"[A-Za-z_]\w*\s*\(", text):
        return ""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return text[: at + 1]
    return text


def _statement(file: str, line: int) -> str:
    """The lines of a file from this one on, to the end of a statement."""
    lines = _lines(file)
    taken: list[str] = []
    for text in lines[line - 1 : line - 1 + MOST_LINES] if line else []:
        taken.append(text.partition("//")[0])
        if ";" in text:
            break
    return " ".join(taken)


@lru_cache(maxsize=64)
def _lines(file: str) -> tuple[str, ...]:
    try:
        with opened_ordinary(Path(file)) as stream:
            data = stream.read(LARGEST_FILE)
    except (OSError, ValueError):
        return ()
    return tuple(data.decode(errors="replace").split("\n"))
