"""What `#define` says of the words of a function, where the source and its headers are there.

A macro may hide a call, a branch or a header before the memory. Which of several definitions was compiled is
not known: all count. Sources are untrusted: no expression here takes more than a few steps for each letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from malloom.types.counts import closed, next_place, split_arguments
from malloom.types.entries import Entry, text_of
from malloom.types.source_text import lines_of, without_text

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?([^\n]*)", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]{1,400})[>"]', re.MULTILINE)
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
ENUMERATION = re.compile(r"\benum\b[\w\s:]{0,200}\{([^{}]{0,100000})\}")
ALIAS = re.compile(r"\btypedef\b[^;{}]{1,400}?\b(\w+)\s*;|\}\s*(\w+)\s*;|\busing\s+(\w+)\s*=")
WORD = re.compile(r"\b[A-Za-z_]\w*")
CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+$")
UNPLAIN = re.compile(
    r"[?;{}:]|&&|\|\||\b(?:if|else|for|while|do|switch|case|default|return|goto|break|continue|new)\b"
    r"|\b(?!sizeof\b)[A-Za-z_]\w*\s*\(|(?<![=!<>])=(?!=)|\+\+|--"
)
"""What makes more of a macro than a constant or a type: a call, what changes a variable, or where a path may
turn."""
STATEMENTS = re.compile(r"[;{}]|\b(?:if|else|for|while|do|switch|case|default|return|goto|break|continue)\b")
OWN_STATEMENT = re.compile(r"(?:[;{})]|\belse|\bdo)\s*$")
PREPROCESSED = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
SYSTEM = ("/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu")
HARMLESS = re.compile(
    r"(?:mem\w*|str\w*|v?[fs]?n?printf|(?:m|c|re)alloc|free|f?(?:read|write|close|open)|exit|abort|assert|is\w+"
    r"|if|for|while|switch|return|sizeof|defined|alignof|decltype|catch|else|new|do|and|or|not|delete|throw)$"
)
"""The C library's functions that programs call most, and keywords: what is no macro without a header."""
STANDARD_NAMES = {"NULL", "EOF", "TRUE", "FALSE", "BUFSIZ", "assert"}
"""What is as harmless wherever it is defined."""
MOST_FILES, MOST_LETTERS, MOST_MACROS, DEEPEST = 2000, 1 << 17, 10000, 16
LONGEST_BEFORE, LONGEST_SPACE, LONGEST_CALL = 1000, 100, 8000


@dataclass(frozen=True)
class Macro:
    """One definition."""

    parameters: tuple[str, ...] | None
    """None: it takes no brackets."""
    body: str


@dataclass(frozen=True)
class Macros:
    """All that a source file and the headers that it includes define."""

    definitions: dict[str, tuple[Macro, ...]] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    """Names of types and of constants of enumerations."""
    is_whole: bool = True
    """Whether each header of the project's was found."""


@dataclass(frozen=True)
class Expanded:
    """A text whose macros are written out."""

    text: str
    pieces: tuple[tuple[int, int, int, int], ...]
    """Of each macro: where it began and ended, and where what it says does."""

    def span(self, place: int) -> tuple[int, int]:
        """Where a place of the text is now; of a macro all that it says."""
        moved = 0
        for first, last, begin, end in self.pieces:
            if first <= place < last:
                return begin, end
            if first > place:
                break
            moved = end - last
        return place + moved, place + moved


def macros_of(file: str, function: Entry) -> Macros:
    """Of a source file, and of that of the unit in which a function of it was compiled: what stands before a
    file that is included holds there, too."""
    unit = function.cu.get_top_DIE()
    main = str(Path(text_of(unit, "DW_AT_comp_dir"), text_of(unit, "DW_AT_name")))
    return _macros_of(tuple(dict.fromkeys((main, file))), _folders(function))


def _folders(function: Entry) -> tuple[str, ...]:
    """Where the unit has its files, and what these lie in: headers are named from there."""
    own = text_of(function.cu.get_top_DIE(), "DW_AT_comp_dir")
    program = function.dwarfinfo.line_program_for_CU(function.cu)
    named = program["include_directory"] if program is not None else []
    paths = [Path(own, folder.decode(errors="replace")) for folder in named]
    return tuple(dict.fromkeys(str(each) for path in (Path(own), *paths) for each in (path, path.parent)))


@lru_cache(maxsize=128)
def _macros_of(files: tuple[str, ...], folders: tuple[str, ...]) -> Macros:
    """Of files, whose headers are looked for beside them and in folders."""
    found: dict[str, tuple[Macro, ...]] = {}
    declared: set[str] = set()
    waiting, seen, is_whole = list(files), set(files), True
    while waiting:
        each = waiting.pop()
        definitions, includes, names = _defined(each)
        declared |= names
        for name, alike in definitions.items():
            found[name] = tuple(dict.fromkeys(found.get(name, ()) + alike))
        for is_own, name in includes:
            header = _header(name, str(Path(each).parent), folders)
            # Headers of other systems are not there: no macro of theirs is, either.
            is_whole = is_whole and (bool(header) or not is_own) and len(seen) < MOST_FILES
            if header and header not in seen and len(seen) < MOST_FILES:
                seen.add(header)
                waiting.append(header)
    return Macros(found, frozenset(declared), is_whole)


@lru_cache(maxsize=8192)
def _header(name: str, beside: str, folders: tuple[str, ...]) -> str:
    candidates = (Path(folder, name) for folder in (beside, *folders, *SYSTEM))
    return next((str(each) for each in candidates if each.is_file()), "")


@lru_cache(maxsize=4096)
def _defined(
    file: str,
) -> tuple[dict[str, tuple[Macro, ...]], tuple[tuple[bool, str], ...], frozenset[str]]:
    """What a file defines, the headers that it includes (whether in quotes), the names that it declares."""
    raw = "\n".join(lines_of(file))
    text = without_text(raw.replace("\\\n", "  "))
    found: dict[str, tuple[Macro, ...]] = {}
    for name, parameters, body in ((each[1], each[2], each[3]) for each in DEFINE.finditer(text)):
        split = None if parameters is None else tuple(part.strip() for part in parameters.split(","))
        found[name] = (*found.get(name, ()), Macro(split, body.strip()))
    names = {word for each in ENUMERATION.finditer(text) for word in WORD.findall(each[1])}
    names |= {word for each in ALIAS.finditer(text) for word in each.groups() if word}
    includes = tuple((each[1] == '"', each[2]) for each in INCLUDE.finditer(raw))
    return found, includes, frozenset(names)


def expanded(text: str, macros: Macros, is_known: Callable[[str], bool]) -> Expanded | None:
    """A function's text with what its macros say; None where a word may be a macro that is not known, or one
    of several that are. `is_known` tells which words debug information has."""
    return None if INCLUDED.search(text) else _Writer(macros, is_known).written(text, frozenset())


class _Writer:
    """Writes out macros, as many as a function may have."""

    def __init__(self, macros: Macros, is_known: Callable[[str], bool]) -> None:
        self._macros = macros
        self._is_known = is_known
        self._left = MOST_MACROS

    def written(self, text: str, busy: frozenset[str]) -> Expanded | None:
        """`busy` are the macros that the text is said by: none says itself."""
        skipped = [found.span() for found in PREPROCESSED.finditer(text)]
        parts: list[str] = []
        pieces: list[tuple[int, int, int, int]] = []
        at = length = 0
        for begin, end, said in self._said(text, busy):
            if any(first <= begin < last for first, last in skipped):
                continue
            if said is None or length > MOST_LETTERS:
                return None
            parts += [text[at:begin], said]
            length += begin - at + len(said)
            pieces.append((begin, end, length - len(said), length))
            at = end
        return Expanded("".join((*parts, text[at:])), tuple(pieces))

    def _said(self, text: str, busy: frozenset[str]) -> Iterator[tuple[int, int, str | None]]:
        """Where macros stand that are more than a constant or a type, and what they say."""
        behind = 0
        for word in WORD.finditer(text):
            name = word[0]
            if word.start() < behind or name in busy or name in STANDARD_NAMES:
                continue
            alike = self._macros.definitions.get(name, ())
            if not alike:
                if self._may_be_macro(text, word):
                    yield word.start(), word.end(), None
                continue
            arguments, end = _arguments(text, word.end())
            if arguments is None and all(each.parameters is not None for each in alike):
                continue
            end = end if any(each.parameters is not None for each in alike) else word.end()
            before = text[max(word.start() - LONGEST_BEFORE, 0) : word.start()]
            said = self._joined(before, alike, arguments, busy | {name})
            opening = text[end : end + LONGEST_SPACE].lstrip()[:1]
            if said is None or UNPLAIN.search(f"{said}(" if opening == "(" else said):
                behind = end
                yield word.start(), end, said

    def _may_be_macro(self, text: str, word: re.Match[str]) -> bool:
        """Whether a word that is defined nowhere may be a macro all the same: one in capitals, or what is
        called where a header was not found."""
        name, after = word[0], text[word.end() : word.end() + LONGEST_SPACE].lstrip()[:2]
        is_called = after[:1] == "(" and not self._macros.is_whole and not HARMLESS.match(name)
        if name.startswith("_") or not (is_called or CAPITALS.match(name)):
            return False
        before = text[max(word.start() - LONGEST_SPACE, 0) : word.start()].rstrip()
        is_within = before.endswith(("->", "::", ".")) or after == "::"
        return not is_within and name not in self._macros.declared and not self._is_known(name)

    def _joined(
        self, before: str, alike: tuple[Macro, ...], arguments: list[str] | None, busy: frozenset[str]
    ) -> str | None:
        """What the definitions of a macro say: one after the other where there are several."""
        said: list[str] = []
        for each in alike:
            self._left -= 1
            is_done = self._left < 0 or len(busy) > DEEPEST
            inner = None if is_done else self.written(_filled(each, arguments), busy)
            if inner is None:
                return None
            said.append(inner.text)
        said = list(dict.fromkeys(said))
        if len(said) == 1:
            return said[0]
        if not any(STATEMENTS.search(each) for each in said):
            return " , ".join(said)
        # Within an expression statements would part it.
        is_statement = OWN_STATEMENT.search(PREPROCESSED.sub("", before))
        return "{ " + " ; ".join(said) + " ; }" if is_statement else None


def _filled(macro: Macro, arguments: list[str] | None) -> str:
    """The body with the arguments in it."""
    if not macro.parameters or arguments is None:
        return macro.body
    given = dict(zip(macro.parameters, arguments, strict=False))
    if macro.parameters[-1] == "...":
        given["__VA_ARGS__"] = ", ".join(arguments[len(macro.parameters) - 1 :])
    body = re.sub(r"(?<!#)#\s*(?=\w)(?!#)", " ", macro.body)
    body = WORD.sub(lambda word: given.get(word[0], word[0]), body)
    return re.sub(r"\s*##\s*", "", body)


def _arguments(text: str, at: int) -> tuple[list[str] | None, int]:
    """What stands in the brackets behind a word, and where they end; None where none do."""
    near = text[at : at + LONGEST_CALL]
    begin = next_place(near, 0)
    if near[begin : begin + 1] != "(":
        return None, at
    end = closed(near, begin, "(", ")")
    return split_arguments(near[begin + 1 : end - 1]), at + end
