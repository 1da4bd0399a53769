"""What the source says where it makes an object: the types that `new`, `sizeof` and casts name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from malloom.input_file import opened_ordinary
from malloom.types.counts import CLOSING, OPENING, PATH, closed, count_beside, counted, next_place

NAME = r"(?:(?:struct|union|class|enum)\s+)?((?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
NEW = re.compile(rf"\bnew\s+(?:\([^()]*\)\s*)?(?:const\s+)?{NAME}\s*(\**)")
SIZE_OF_TYPE = re.compile(rf"\bsizeof\s*\(\s*(?:const\s+)?{NAME}\s*(\**)\s*\)")
GOES_ON = r"(?!\w|\s*\)?\s*(?:\[|->|\.|\())"
"""What makes it an expression that is more than a path, as in `*p[0]` and `p[0].next`."""
SIZE_OF_TARGET = re.compile(
    rf"\bsizeof\s*\(?\s*(?:\*\s*\(?\s*({PATH}){GOES_ON}|({PATH})\s*\[[^][]*\]{GOES_ON})"
)
CAST = re.compile(rf"\(\s*(?:const\s+)?{NAME}\s*(\*+)\s*\)\s*[A-Za-z_]")
MAKER = r"\b[A-Za-z_]\w*(?i:new|alloc)\w*\s*\(\s*"
OF_MACRO = re.compile(rf"{MAKER}{NAME}\s*(\**)\s*[,)]")
POINTED_TO = re.compile(rf",\s*(?:const\s+)?{NAME}\s*(\*+)\s*,")
INTO_MACRO = re.compile(rf"{MAKER}({PATH})\s*[,)]")
ASSIGNED = re.compile(rf"(?:^|[\s*;{{(])({PATH})\s*=(?!=)")
NO_TEXT = re.compile(r"""/\*.*?(?:\*/|\Z)|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
"""Comments, strings and characters: what they say is not said by the program."""
HARMLESS = re.compile(r"->|::|\+\+|--|[\w\s.*+()]")
"""What may stand beside a sizeof: of all else (`?:`, `/`, `<<`, `-`, `|`) the size may be no type's."""
JOINED = re.compile(r"\bsizeof\s*\([^()]*\)\s*\w|\w\s+sizeof\b")
"""A sizeof beside a word, which then is a macro that has an operator: `malloc(sizeof(T) PADDING)`."""
ALLOCATES = re.compile(r"^\w*?(?:alloc(?!ator)|memalign)", re.IGNORECASE)
MAKES_OTHER = re.compile(r"create|init|open|new", re.IGNORECASE)
CAST_ONLY = r"\s*=\s*(?:\([\w\s:*]*\*\s*\)\s*)?"
FURTHER_CALL = re.compile(r"\b(?!sizeof\b)\w+\s*\(")
DECLARED = re.compile(
    r"\s*([A-Za-z_][\w:]*(?:\s+[A-Za-z_][\w:]*)*)(?:<[\w\s:,*&<>]*>)?(?:[\s*]|\b(?:const|restrict|volatile|__restrict)\b)*$"
)
"""What may stand before the name of a pointer that is declared: its type."""
KEYWORDS = {"return", "else", "case", "goto", "delete", "throw", "do", "sizeof", "new", "typedef"}
KEYWORDS |= {"co_return", "co_yield", "co_await", "if", "while", "for", "switch", "default"}
"""What is no type."""
NO_TYPES = KEYWORDS | {"struct", "union", "enum", "class", "typename", "const", "volatile", "using", "friend"}
NO_TYPES |= {"static", "public", "private", "protected", "virtual", "typedef"}
"""What may stand before a name that is a type's."""
MOST_LINES = 4
"""Of one statement that are looked at."""
LARGEST_FILE = 16 << 20
LONGEST_TYPE = 400


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
    is_one: bool = False
    """Whether it is one object, and no array."""
    count: int = 0
    """How many objects the call says that it makes; 0: that is computed, or not said."""
    may_be_variable: bool = False
    """Whether it is a name in a sizeof without `struct` and its like, that a variable may have, too."""
    is_first: bool = True
    """Whether nothing that is added to the size stands before it."""


def said_at(file: str, line: int, column: int, is_new: bool) -> list[Said]:
    """What the statement says that begins in this line; nothing where the file is not there.

    `column` (0: not known) tells which of several calls in the line is meant, `is_new` that it is one of
    operator new.
    """
    statement = _statement(file, line)
    if is_new:
        return [*_of_new(statement, column), *_assigned(statement)]
    call = call_at(statement, column)
    certain = list(sizes(call or statement))
    # Without its column it may be another call of the statement that a type is the size of.
    return [*(certain if call else [_doubted(each) for each in certain]), *_likely(statement)]


def names(file: str, line: int, word: str) -> bool | None:
    """Whether the statement that begins in a line has the word; None where the file is not there."""
    statement = _statement(file, line)
    return re.search(rf"\b{re.escape(word)}\b", statement) is not None if statement else None


def is_whole_initialiser(
    file: str, line: int, column: int, name: str, callee: str, is_new: bool, declared: int = 0
) -> bool:
    """Whether the source is there, and all that a variable of the line begins with is the call at the column,
    perhaps with a cast: what it has then is what the call gives, and no more than that is computed of it.
    `declared` is the column of the variable's declaration (0: not known).

    gcc gives calls within the arguments the column of the outer one, so that it must be the function that is
    called, where that is known, or have no further calls.
    """
    statement = _statement(file, line)
    begins = [
        found.end()
        for found in re.finditer(rf"\b{re.escape(name)}{CAST_ONLY}", statement)
        if declared == found.start() + 1 or (not declared and _declares(statement, found.start(), name))
    ]
    if is_new:
        made = [
            found for found in NEW.finditer(statement) if not column or column in _places(statement, found)
        ]
        return len(made) == 1 and made[0].start() in begins
    call = call_at(statement, column)
    called, _, arguments = call.partition("(")
    is_meant = called.strip() == callee or not FURTHER_CALL.search(arguments)
    behind = statement[column - 1 + len(call) :].lstrip() if call else "."
    return is_meant and column - 1 in begins and (not behind or behind[0] in ";,")


def _declares(statement: str, at: int, name: str) -> bool:
    """Whether a name is declared at a place of a line, and not used: `*p = malloc(n)` gives p nothing. It is
    the first of its name there, but for that of a structure."""
    before = statement[:at]
    first = re.sub(rf"\b(?:struct|union|enum|class)\s+{re.escape(name)}\b", "", before)
    begin = re.split(r"[;{}(]", before)[-1]
    declared = DECLARED.match(begin) if len(begin) < LONGEST_TYPE else None
    is_type = declared is not None and KEYWORDS.isdisjoint(re.findall(r"\w+", declared[1]))
    return is_type and not re.search(rf"\b{re.escape(name)}\b", first)


def call_told(file: str, line: int, column: int) -> tuple[str, str]:
    """The call at the column, and what stands behind it; empty where none does."""
    statement = _statement(file, line)
    call = call_at(statement, column)
    return call, statement[column - 1 + len(call) :] if call else ""


@lru_cache(maxsize=1024)
def declares_variable(file: str, name: str) -> bool:
    """Whether a file seems to declare a variable, a parameter or a field of this name, wherever."""
    text = without_text("\n".join(lines_of(file)))
    for found in re.finditer(rf"(?:\b(\w+)|[*&>])\s*(?<!\w){re.escape(name)}\s*(?:\[|=(?!=)|[;,)])", text):
        begin = text[max(found.start() - LONGEST_TYPE, 0) : found.start()]
        is_alias = re.search(r"\b(?:typedef|using|sizeof)\b[^;{}]*$", begin) is not None
        if found[1] not in NO_TYPES and not is_alias:
            return True
    return False


def _of_new(statement: str, column: int) -> list[Said]:
    """The one that begins or ends at the column; where none does, the last before it as a guess, as it may be
    one within the arguments of that which is meant."""
    before = [each for each in NEW.finditer(statement) if not column or each.start() < column]
    meant = [each for each in before if column in _places(statement, each)]
    said = [made_by(statement, each) for each in meant or before]
    if len(meant) == 1:
        return said
    return [_doubted(each) for each in (said[-1:] if column else said)]


def _places(statement: str, new: re.Match[str]) -> set[int]:
    """The columns that compilers give: of the begin; g++ of the last bracket, or of the type without any."""
    end = behind_new(statement, new)
    return {new.start() + 1, end if statement[end - 1] in CLOSING else new.start(1) + 1}


def behind_new(statement: str, new: re.Match[str]) -> int:
    """Where the brackets behind `new T` end."""
    at = _behind_arguments(statement, new)
    while (begin := next_place(statement, at)) < len(statement) and statement[begin] in OPENING:
        at = closed(statement, begin, OPENING, CLOSING)
    return at


def _behind_arguments(statement: str, new: re.Match[str]) -> int:
    """Where the arguments of a template end that stand behind its name."""
    at = next_place(statement, new.end())
    return closed(statement, at, "<", ">") if statement[at : at + 1] == "<" else new.end()


def made_by(statement: str, new: re.Match[str]) -> Said:
    """A class within a template has another name than the template."""
    rest = statement[_behind_arguments(statement, new) :].lstrip()
    is_array = rest.startswith("[")
    return Said(new[1], len(new[2]), is_certain=not rest.startswith("::"), is_one=not is_array)


def _doubted(said: Said) -> Said:
    return replace(said, is_certain=False)


def sizes(call: str) -> Iterator[Said]:
    """Certain where all that is computed is a number of objects, perhaps with more behind, and each sizeof is
    understood. Of several that are added the first is the object's, and the others that of what is behind."""
    found = [(each, _sized(each)) for each in SIZE_OF_TYPE.finditer(call)]
    for each in SIZE_OF_TARGET.finditer(call):
        found.append((each, Said(target_of=path_of(each[1] or each[2]))))
    is_clear = len(found) == len(re.findall(r"\bsizeof\b", call)) and _allocates(call)
    is_clear = is_clear and not JOINED.search(call)
    for each, said in sorted(found, key=lambda pair: pair[0].start()):
        around, depth = _around(call, each.start())
        has_more = "+" in around.replace("++", "")
        count, is_first = counted(call, each.start())
        # A number of objects with more behind them are neither an array nor one, and what stands behind
        # another may be no object's begin.
        is_alone = not has_more or (count == 1 and depth < 2 and (is_first or len(found) == 1))
        is_certain = is_clear and not HARMLESS.sub("", around) and is_alone
        count = 0 if has_more else count * count_beside(call, each.start())
        yield replace(said, is_certain=is_certain, has_more=has_more, count=count, is_first=is_first)


def _sized(found: re.Match[str]) -> Said:
    is_type = found[2] or re.search(r"\b(?:struct|union|class|enum|const)\s", found[0])
    return Said(found[1], len(found[2]), may_be_variable=not is_type)


def _allocates(call: str) -> bool:
    """Whether the function's name says that it gives memory of the size that it is told: `list_new` and
    `arena_create` make something else, for things of that size."""
    name = call.partition("(")[0].strip()
    return ALLOCATES.match(name) is not None and MAKES_OTHER.search(name) is None


def _around(call: str, place: int) -> tuple[str, int]:
    """What stands beside a sizeof: the argument that it is in, without brackets in which it is not; and in
    how many brackets it is. A comma, which is not harmless, stands for a call in whose brackets it is."""
    open_at: list[int] = []
    for at, letter in enumerate(call[:place]):
        if letter in OPENING:
            open_at.append(at)
        elif letter in CLOSING and open_at:
            open_at.pop()
    in_call = any(call[at] != "(" or call[:at].rstrip()[-1:].isidentifier() for at in open_at[1:])
    inner = call[open_at[0] + 1 if open_at else 0 :]
    return ("," if in_call else "") + _argument(inner, place - len(call) + len(inner)), len(open_at)


def _argument(arguments: str, place: int) -> str:
    """The one that a place lies in, without what brackets hold in which it does not lie."""
    kept, at, found = "", 0, False
    while at < len(arguments):
        letter = arguments[at]
        end = closed(arguments, at, OPENING, CLOSING) if letter in OPENING else 0
        if end and not at < place < end:
            at = end
            continue
        if letter == ",":
            if found:
                return kept
            kept, letter = "", ""
        found = found or at == place
        kept += letter if letter not in CLOSING else " "
        at += 1
    return kept


def path_of(text: str) -> tuple[str, ...]:
    return tuple(re.split(r"->|\.", text))


def _likely(statement: str) -> Iterator[Said]:
    for found in (*_casts(statement), *POINTED_TO.finditer(statement)):
        yield Said(found[1], len(found[2]) - 1, is_certain=False)
    for found in OF_MACRO.finditer(statement):
        yield Said(found[1], len(found[2]), is_certain=False)
    # Some macros want the variable, and not its type.
    for found in INTO_MACRO.finditer(statement):
        yield Said(target_of=path_of(found[1]), is_certain=False)
    yield from _assigned(statement)


def _casts(statement: str) -> Iterator[re.Match[str]]:
    """Those of a call's result, and of what is no argument."""
    for found in CAST.finditer(statement):
        is_argument = statement[: found.start()].rstrip().endswith(("(", ","))
        if not is_argument or re.match(r"\w*\s*\(", statement[found.end() :]):
            yield found


def _assigned(statement: str) -> Iterator[Said]:
    for found in ASSIGNED.finditer(statement):
        yield Said(target_of=path_of(found[1]), is_certain=False)


def call_at(statement: str, column: int) -> str:
    """The call that begins at a column (from 1; 0: not known), to the bracket that ends it; empty where none
    begins there."""
    text = statement[column - 1 :] if column else ""
    if not re.match(r"[A-Za-z_]\w*\s*\(", text):
        return ""
    return text[: closed(text, text.index("("), "(", ")")]


def _statement(file: str, line: int) -> str:
    """The lines of a file from this one on, to the end of a statement."""
    lines = lines_of(file)[line - 1 : line - 1 + MOST_LINES] if line else ()
    taken: list[str] = []
    for text in without_text("\n".join(lines)).split("\n"):
        taken.append(text)
        if ";" in text:
            break
    return " ".join(taken)


def lines_between(file: str, first: int, last: int, column: int = 0) -> str:
    """Lines of a file, without comments and what strings hold, up to the column of the last where that is not
    0; empty where the file is not there."""
    lines = lines_of(file)[first - 1 : last] if 0 < first <= last else ()
    text = without_text("\n".join(lines))
    before_last = text.rpartition("\n")
    return before_last[0] + before_last[1] + before_last[2][: column - 1] if column else text


def without_text(text: str) -> str:
    """Without comments and what strings hold."""
    return NO_TEXT.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    """As long, so that columns remain; a string is an argument still."""
    text = found[0]
    kept = text[0] + text[-1] if text[0] in "\"'" else ""
    inner = re.sub(r"[^\n]", " ", text[len(kept) // 2 : len(text) - len(kept) // 2])
    return kept[:1] + inner + kept[1:]


def is_newer(file: str, built: int) -> bool:
    """Whether a file that is there was written after a time (st_mtime_ns), and may not be what was compiled
    then. One of the same time is not: a file system may keep no more than seconds."""
    return _read(file)[1] > built


def lines_of(file: str) -> tuple[str, ...]:
    return _read(file)[0]


@lru_cache(maxsize=64)
def _read(file: str) -> tuple[tuple[str, ...], int]:
    """The lines, and when they were written."""
    try:
        with opened_ordinary(Path(file)) as stream:
            data, written = stream.read(LARGEST_FILE), os.fstat(stream.fileno()).st_mtime_ns
    except (OSError, ValueError):
        return (), 0
    return tuple(data.decode(errors="replace").split("\n")), written
