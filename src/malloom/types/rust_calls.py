"""Rust: whether the text of a caller names the function whose code runs there.

rustc's LLVM sends calls of functions that have the same code to one of them and drops the others, and debug
information does not tell which the source calls. So the text has to: by a path that means this function and
no other, or by a method of `self` in a method of the same type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from malloom.report.names import demangle
from malloom.sites.keys import Call
from malloom.types.source_text import is_newer, lines_of

Path = tuple[str, ...]
PLAIN = re.compile(r"\w+(?:::\w+)+")
"""A path without types and traits in brackets, of which the text does not tell."""
CALLED = re.compile(r"(\w+(?:::\w+)*)(?:::<[^<>;()]*>)?\(")
OF_SELF = re.compile(r"(?:^|[^\w.])self\.$")
IMPORT = re.compile(r"\buse\s+([^;]+);")
ALL_OF = re.compile(r"\buse\s+(?!super::\*;|[\w:]*\b[A-Z]\w*::\*;)[^;]*\*")
"""All of another module. An enumeration, whose name begins so, has neither functions nor types."""
OF_MODULE = re.compile(r"^(?:pub(?:\([^)]*\))? )?use\s[^;]*;", re.MULTILINE)
"""At the begin of a line: what a module defines itself comes before what such a `use` has of another."""
COMMENT = re.compile(r"//[^\n]*")
DEFINED = r"\b(?:fn|struct|enum|union|type|trait|mod|const|static)\s+{}\b"
STARTED_BY = "__rust_begin_short_backtrace"
"""The function of Rust's library that calls `main`."""


def is_meant(function: str, caller: Call, file: str, built: int) -> bool:
    """Whether a call that runs a function, by its linkage name, is one of it in the source. The function is
    declared in the file; programs are as old as `built`."""
    path, around = _path(function), _owner(caller.function)
    if not path or not around or not caller.column or is_newer(caller.file, built):
        return False
    lines = lines_of(caller.file)
    line = lines[caller.line - 1] if 0 < caller.line <= len(lines) else ""
    before, behind = line[: caller.column - 1], line[caller.column - 1 :]
    called = CALLED.match(behind)
    if called is None or re.search(r"\w$", before):
        return False
    said = tuple(called[1].split("::"))
    if before.rstrip().endswith("."):
        return len(said) == 1 and OF_SELF.search(before) is not None and (*around, *said) == path
    if said[0] == "Self":
        return (*around, *said[1:]) == path
    text = COMMENT.sub("", "\n".join(lines))
    return path in _meanings(said, around, text, is_same=file == caller.file)


def _path(function: str) -> Path:
    name = demangle(function)
    return tuple(name.split("::")) if PLAIN.fullmatch(name) else ()


def _owner(function: str) -> Path:
    """The type, or the module, that a function lies in; of one in an impl of a trait the type."""
    name = re.sub(r"(?:::\{closure[^{}]*\})+$", "", demangle(function))
    of_trait = re.fullmatch(r"<(\w+(?:::\w+)+) as .*>::\w+", name)
    if of_trait is not None:
        return tuple(of_trait[1].split("::"))
    return tuple(name.split("::"))[:-1] if PLAIN.fullmatch(name) else ()


def _meanings(said: Path, around: Path, text: str, *, is_same: bool) -> set[Path]:
    """What a path may mean in a file; nothing where it may mean several things."""
    if said[0] == "crate":
        return {(around[0], *said[1:])}
    found = {path for each in IMPORT.finditer(text) for path in _imported(each[1]) if path[-1] == said[0]}
    defined = len(re.findall(DEFINED.format(re.escape(said[0])), text))
    if len(found) == 1 and not defined:
        imported = found.pop()
        if imported[0] == "crate":
            return {(around[0], *imported[1:], *said[1:])}
        return {(*imported, *said[1:]), *_within(around, (*imported, *said[1:]))}
    # What a macro defines the text does not show, nor what comes with all of another module: into a block
    # it comes before what is defined around.
    hidden = ALL_OF.search(OF_MODULE.sub("", text) if len(said) > 1 else text)
    is_told = is_same and defined == 1 and "macro_rules!" not in text and not hidden
    return set(_within(around, said)) if is_told and not found else set()


def _within(around: Path, said: Path) -> Iterator[Path]:
    """A path from each of the modules around."""
    for end in range(1, len(around) + 1):
        yield (*around[:end], *said)


def _imported(tree: str) -> Iterator[Path]:
    """The paths of a `use`: `a::{b, c::d}` has two. By another name, or all of a module: none is told."""
    head, brace, rest = tree.strip().partition("{")
    start = tuple(part.strip() for part in head.split("::") if part.strip())
    if not brace:
        yield from [start] if start and re.fullmatch(r"\w+", start[-1]) else _renamed(head)
        return
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield from ((*start, *path) for path in _imported(part) if part.strip())
            part = ""
        else:
            part += letter


def _renamed(tree: str) -> Iterator[Path]:
    """`a::b as c` brings a name that has no path."""
    name = re.search(r"\bas\s+(\w+)\s*$", tree)
    if name is not None:
        yield "?", name[1]
