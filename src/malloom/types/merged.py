"""Whether the call of a line may stand for others, too: compilers merge the calls of branches that end or
begin alike, and keep the line of one of them (cross-jumping, sinking, hoisting).

Read is the text of the functions around the call. Of another allocation there it must be shown that both are
made one after the other, that it makes the same type, or that its size is another; else they may be one.
Sources are untrusted: no expression here takes more than a few steps for each letter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from malloom.report.names import demangle, is_of_library, short_name
from malloom.sites.keys import Call
from malloom.types.asked import Asked
from malloom.types.entries import (
    Entry,
    bare,
    declared_file,
    declared_line,
    name_of,
    number_of,
    parameters_of,
    pointee,
    same,
    size_of,
    type_name,
    type_of,
)
from malloom.types.macros import Expanded, expanded, macros_of
from malloom.types.meant import is_declared, names_type, types_meant, variables_named
from malloom.types.source_text import NAME, NEW, Said, behind_new, call_at, lines_between, made_by, sizes
from malloom.types.units import Scope

CALL = re.compile(r"\bnew\b|\b[A-Za-z_]\w*(?=\s{0,9}[(<])")
ONE_SIZE = re.compile(r"malloc\s*\(\s*(?:1\s*,\s*)?sizeof\b\s*(?:\([^()]{1,200}\)|[*\s]*\w+)\s*\)$")
MAKER = re.compile(r"alloc|memalign|new|dup", re.IGNORECASE)
MADE_TYPE = re.compile(rf"make_(?:unique|shared)(?:_for_overwrite)?\s*<\s*(?:const\s+)?{NAME}\s*(\**)\s*>")
NUMBER = re.compile(r"\w+\s*\(\s*(\d{1,9})[uUlL]{0,3}\s*\)$")
NO_ALLOCATION = re.compile(
    r"(?:mem(?!align)|str(?!n?dup)|f?printf|snprintf|qsort|read|write|fread|fwrite|assert)"
)
STANDARD = {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "posix_memalign"}
STANDARD |= {"valloc", "strdup", "strndup"}
WORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "alignof", "decltype", "catch"}
PLAIN_MALLOC = {"malloc", "calloc"}
"""A compiler makes the second of the first, where the memory is cleared."""
ENTERED = re.compile(r"\b(?:case|default|catch)\b|[;{}]\s*\w+\s*:(?!:)|^[ \t]*#", re.MULTILINE)
"""Where a path may begin that does not come from the line before."""
CHOICE = re.compile(r"\?|&&|\|\||\b(?:and|or|if|else)\b")
CONDITIONAL = re.compile(
    r"\?|&&|\|\||\b(?:and|or|if|else|for|while|case|default|switch|catch)\b|^\s*\w+\s*\("
)
RESULT = re.compile(r"\b(?:return|goto)\b|(?<![=!<>])=(?!=)|\+\+|--")
"""What changes a variable, or gives one to the caller."""
INLINED = (1, 3)
"""DW_INL of functions that were put into others."""
MOST_LINES, MOST_LETTERS = 4000, 1 << 16
"""Of a function that are looked at: a longer one may have anything."""
MOST_MAKINGS, LONGEST_MAKING = 500, 2000
DEEPEST = 8
"""Of calls of functions that are inlined in each other."""


@dataclass(frozen=True)
class Making:
    """What may be an allocation, in the text of a function."""

    name: str
    """Of the function that is called; `new`."""
    start: int
    end: int
    line: int
    text: str


def may_be_merged(asked: Asked, kind: Entry) -> bool:
    """Whether the objects of the call, which one line says to be of this type, may be those of another call
    that another branch makes. Where no source is there nothing tells so."""
    return any(
        _has_rival(asked, kind, scope, call)
        for scope, call in asked.around
        if not is_of_library(short_name(demangle(call.function)), call.file)
    )


def _has_rival(asked: Asked, kind: Entry, scope: Scope, call: Call) -> bool:
    begin = declared_line(scope.entry)
    # What has no line is of the compiler's making: it makes the variables outside functions, one by one.
    if not begin or not lines_between(call.file, begin, begin):
        return False
    there = replace(asked, scope=scope, call=call)
    body = _body(call.file, begin, call.line, call.column)
    written = _written(there, body)
    makings = _makings(written.text, begin, _own_name(scope.entry)) if written else ()
    if written is None or not body or len(makings) >= MOST_MAKINGS:
        return True
    place = written.span(_place(body, begin, call.line, call.column))
    own = _own(there, makings, place)
    start, end = (own.start, own.end) if own else place
    seen = {each.offset for each in same(scope.entry)}
    return any(
        _is_rival(there, kind, each, seen)
        for each in makings
        if each is not own
        and _may_be_same(there, each)
        and not _is_in_turn(written.text, (each.start, each.end), (start, end))
    )


def hides_results(asked: Asked) -> bool:
    """Whether a macro may change what the function around the call gives to its caller."""
    begin = declared_line(asked.scope.entry)
    body = _body(asked.call.file, begin, asked.call.line, asked.call.column)
    written = _written(asked, body) if body else None
    return written is None or any(RESULT.search(written.text[first:end]) for *_, first, end in written.pieces)


def _own(asked: Asked, makings: tuple[Making, ...], place: tuple[int, int]) -> Making | None:
    """The call itself, of those in the text: where a macro makes it the first of that macro's."""
    begin, end = place
    if begin < end:
        within = [each for each in makings if begin <= each.start < end]
        return next((each for each in within if _may_be_same(asked, each)), None)
    around = [each for each in makings if each.start <= begin <= each.end]
    if not asked.call.column:
        around = [each for each in makings if each.line == asked.call.line][:1]
    return min(around, key=lambda each: each.end - each.start, default=None)


def _written(asked: Asked, text: str) -> Expanded | None:
    """The text of a function with what its macros say; None where that is not known."""
    macros = macros_of(asked.call.file, asked.scope.entry)
    found = expanded(text, macros, lambda name: is_declared(asked, name))
    return found if found is None or _is_balanced(found.text) == _is_balanced(text) else None


def _is_balanced(text: str) -> bool:
    return text.count("{") == text.count("}")


@lru_cache(maxsize=256)
def _body(file: str, begin: int, line: int, column: int) -> str:
    """A function's text from the line on that its name stands in, to the brace behind the call that ends all;
    empty where there is none."""
    if line < begin or line - begin >= MOST_LINES:
        return ""
    text = lines_between(file, begin, begin + MOST_LINES)[:MOST_LETTERS]
    at, depth = _place(text, begin, line, column), 0
    for found in re.finditer(r"[{}]", text):
        depth += 1 if found[0] == "{" else -1
        if depth <= 0 and found.start() >= at:
            return text[: found.end()]
    return ""


def _place(text: str, begin: int, line: int, column: int) -> int:
    """Where a line and column lie in a text that begins with a line."""
    at = 0
    for _ in range(line - begin):
        at = text.find("\n", at) + 1 or len(text)
    return at + max(column - 1, 0)


@lru_cache(maxsize=256)
def _makings(text: str, begin: int, own_name: str) -> tuple[Making, ...]:
    """All calls of a function's text, and `new`: which of them allocate is asked of each."""
    found: list[Making] = []
    body = text.find("{")
    line, before, at = begin, 0, 0
    while (each := CALL.search(text, at)) and len(found) < MOST_MAKINGS:
        at = each.end()
        if each[0] in WORDS or (each[0] == own_name and each.start() < body):
            continue
        line, before = line + text.count("\n", before, each.start()), each.start()
        rest = text[each.start() : each.start() + LONGEST_MAKING]
        made = NEW.match(rest)
        # The name of the class is the constructor's.
        at = max(at, each.start() + made.end()) if made else at
        by_library = MADE_TYPE.match(rest)
        whole = rest[: behind_new(rest, made)] if made else call_at(rest, 1) or each[0]
        whole = by_library[0] if by_library else whole
        found.append(Making(each[0], each.start(), each.start() + len(whole), line, whole))
    return tuple(found)


def _is_in_turn(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether each path to the later of two calls goes through the first: then they are two for certain."""
    (begin, end), (start, last) = sorted((one, other))
    if last <= end:
        return True
    between = text[end:start]
    statement = text[max(text.rfind(each, 0, begin) for each in ";{}") + 1 : begin]
    if not re.search(r"[;{}]", between):
        return not CHOICE.search(statement + between)
    depth = lowest = 0
    for brace in re.findall(r"[{}]", between):
        depth += 1 if brace == "{" else -1
        lowest = min(lowest, depth)
    return lowest == 0 and not ENTERED.search(between) and not _is_conditional(statement)


def _is_conditional(statement: str) -> bool:
    """Whether what ends a text is not done each time; the condition itself of an `if` is."""
    tested = re.match(r"\s*if\s*\(", statement)
    inner = statement[tested.end() :] if tested else statement
    is_open = inner.count("(") >= inner.count(")")
    return not is_open or CONDITIONAL.search(inner) is not None


def _own_name(function: Entry) -> str:
    return name_of(function).partition("<")[0]


def _is_rival(asked: Asked, kind: Entry, making: Making, seen: set[int], depth: int = DEEPEST) -> bool:
    """Whether it may be an allocation whose code is the same, of an object of another type. `seen` are the
    functions that were looked at already."""
    inlined = _inlined(asked, making)
    if any(_has_rival_within(asked, kind, entry, seen, depth) for entry in inlined):
        return True
    if not _may_call_same(asked, making):
        return False
    number = NUMBER.match(making.text)
    if number and not inlined:
        return asked.size in (None, int(number[1]))
    said = _said(making)
    others = _types(asked, said, making.line) if said else []
    if not others:
        # A function that is inlined may make nothing: what it makes was looked at.
        return not inlined or "sizeof" in making.text or making.name.startswith("make_")
    own_type = _identity(kind)
    return any(_identity(each) != own_type and _fits(asked, each, said) for each in others)


def _has_rival_within(asked: Asked, kind: Entry, entry: Entry, seen: set[int], depth: int) -> bool:
    """Whether a function that is inlined makes another type."""
    if entry.offset in seen:
        return False
    seen.add(entry.offset)
    file, begin = declared_file(entry), declared_line(entry)
    if not begin or is_of_library(short_name(name_of(entry)), file) or not lines_between(file, begin, begin):
        return False
    call = replace(asked.call, file=file, line=begin)
    within = replace(asked, scope=Scope(entry, asked.scope.unit), call=call)
    body = _body(file, begin, begin, 0) if depth else ""
    written = _written(within, body)
    if not body or written is None:
        return True
    makings = _makings(written.text, begin, _own_name(entry))
    return any(_is_rival(within, kind, each, seen, depth - 1) for each in makings)


def _class_or_function(making: Making) -> str:
    """The name of what is called: of `new T` that of T's constructor."""
    made = NEW.match(making.text)
    return made[1].rpartition("::")[2] if made else making.name


def _inlined(asked: Asked, making: Making) -> list[Entry]:
    """The functions of this name that were put into others."""
    named = asked.scope.unit.functions.get(_class_or_function(making), [])
    return [entry for entry in named if number_of(entry, "DW_AT_inline") in INLINED]


def _may_be_same(asked: Asked, making: Making) -> bool:
    return _may_call_same(asked, making) or bool(_inlined(asked, making))


def _may_call_same(asked: Asked, making: Making) -> bool:
    """Whether its code may call what the call does."""
    callee, name = asked.callee.partition(".")[0], making.name
    if name in STANDARD:
        return callee in ("", name) or {callee, name} <= PLAIN_MALLOC
    if name == "new" or name.startswith("make_"):
        return callee not in STANDARD - PLAIN_MALLOC
    if name in (callee, short_name(demangle(callee)).rpartition("::")[2]):
        return True
    if callee and name in asked.scope.unit.functions and not _inlined(asked, making):
        return False
    return bool(MAKER.search(name)) or ("sizeof" in making.text and not NO_ALLOCATION.match(name))


def _said(making: Making) -> Said | None:
    """The type that it names; None where it may be any."""
    made, by_library = NEW.match(making.text), MADE_TYPE.match(making.text)
    if made:
        found = made_by(making.text, made)
        return found if found.is_certain else None
    if by_library:
        # What make_shared makes has its counts, too.
        is_whole = making.name.startswith("make_unique")
        return Said(by_library[1], len(by_library[2]), is_one=True) if is_whole else None
    whole = f"malloc{making.text[len(making.name) :]}"
    said = list(sizes(whole)) if whole.count("sizeof") == 1 else []
    if len(said) != 1 or not said[0].is_certain:
        return None
    return replace(said[0], is_one=bool(ONE_SIZE.match(whole)))


def _types(asked: Asked, said: Said, line: int) -> list[Entry]:
    """All that the name may mean; none where that is not known."""
    if len(said.target_of) == 1 and (alike := variables_named(asked, said.target_of[0])):
        return [target for each in alike if (target := pointee(type_of(each))) is not None]
    if not names_type(asked, said):
        return []
    if said.type and not said.stars:
        if given := parameters_of(asked.scope.entry, said.type):
            return given
        return asked.scope.unit.named(said.type.rpartition("::")[2])
    return list(types_meant(replace(asked, call=replace(asked.call, line=line)), said))


def _fits(asked: Asked, kind: Entry, said: Said | None) -> bool:
    """Whether the objects may be of it; one whose size is not known may."""
    if asked.size is None or not size_of(kind) or (said is not None and said.has_more):
        return True
    return asked.is_one(kind) if said is not None and said.is_one else asked.fits(kind)


def _identity(kind: Entry) -> str:
    """Types of one name and size are one, as a declaration of it and what it declares."""
    return f"{type_name(bare(kind))} {size_of(kind)}"
