"""Names of functions: demangled, and as short as a line of a report wants them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyderust

from malloom import _native

RUST = re.compile(r"^_R|17h[0-9a-f]{16}E")
"""What rustc's mangling looks like: the newer one, and the hash that ends the older, which is else C++'s."""

OPERATOR = re.compile(
    r"\boperator(?:\(\)|\[\]|\"\" ?\w+| (?:new|delete)(?:\[\])?"
    r"|<=>|->\*|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%^&|!=<>]=|<<|>>|[-+*/%^&|~!=<>,]|(?P<conversion> ))"
)
ANONYMOUS = "(anonymous namespace)"
QUALIFIERS = re.compile(r"(?: const| volatile| &&?| noexcept)*")
BRACKETS = {"<": ">", "(": ")", "{": "}", "[": "]"}

LIBRARIES = ("std::", "__gnu_cxx::", "alloc::", "core::", "hashbrown::", "__rust", "__rdl_", "operator new")
"""What begins the short names of functions of the languages' own libraries: of C++, of Rust."""

LIBRARY_FILES = re.compile(r"/include/c\+\+/|/rustc/[0-9a-f]+/library/|/lib/rustlib/src/")
"""Where compilers have them: not every inlined function's name says what it belongs to."""


def demangle(symbol: str) -> str:
    """The name that the source has for a symbol of C++ or Rust; the symbol itself where it is neither."""
    if RUST.search(symbol):
        try:
            return str(pyderust.demangle(symbol))
        except pyderust.DemangleError:
            pass  # a name of C++ that looks like it
    # A symbol of a library may carry its version (malloc@@GLIBC_2.2.5).
    name = symbol.partition("@")[0] or symbol
    # Of C a function may be called as C++ writes a type: b is bool.
    return _native.demangle(name) if name.startswith("_") else name


def is_of_library(name: str, file: str) -> bool:
    """Whether a function, by its short name and its file, belongs to the standard library of its language."""
    return name.lstrip("<&").startswith(LIBRARIES) or LIBRARY_FILES.search(file) is not None


def count_of_program(functions: Sequence[str]) -> int:
    """How many calls of a chain, innermost first, are the program's: up to main."""
    return functions.index("main") + 1 if "main" in functions else len(functions)


def short_name(name: str) -> str:
    """The name without parameters, result and template arguments: `std::vector<…>::push_back`."""
    return _Shortening(name).result() or name


class _Shortening:
    """One pass over a demangled name, from left to right."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._at = 0
        self._kept: list[str] = []
        self._has_name = False
        """Whether what was read last can have template arguments."""
        self._is_result_gone = False
        """Whether blanks no longer end the result's type."""

    def result(self) -> str:
        while self._at < len(self._name):
            self._step()
        return "".join(self._kept).replace("  ", " ").strip()

    def _step(self) -> None:
        if operator := OPERATOR.match(self._name, self._at):
            self._operator(operator)
        elif self._name[self._at] in BRACKETS:
            self._bracket(self._name[self._at])
        elif self._name[self._at] == " " and not self._is_result_gone:
            self._blank()
        else:
            letter = self._name[self._at]
            self._has_name = letter.isalnum() or letter in "_$~:"
            self._keep(letter, self._at + 1)

    def _blank(self) -> None:
        """The end of the result's type, but for the one between `operator<` and what it is made of."""
        if self._kept and OPERATOR.fullmatch(self._kept[-1]):
            self._keep(" ", self._at + 1)
        else:
            self._kept.clear()
            self._at += 1

    def _keep(self, text: str, end: int) -> None:
        self._kept.append(text)
        self._at = end

    def _operator(self, found: re.Match[str]) -> None:
        self._keep(found[0], found.end())
        self._has_name = True
        self._is_result_gone = self._is_result_gone or found["conversion"] is not None
        if self._name.startswith(" <", self._at) and not found[0].endswith("<"):
            self._at += 1

    def _bracket(self, opening: str) -> None:
        end = closing(self._name, self._at)
        inside = self._name[self._at + 1 : end - 1]
        if opening == "<":
            self._keep("<…>" if self._has_name else f"<{_implementation(inside)}>", end)
        elif opening == "{":
            self._keep(f"{{{re.sub(r'[(].*[)]', '', inside)}}}", end)
        elif opening == "[":
            self._keep(f"[{inside}]" if inside.startswith("clone") else "", end)
        elif "".join(self._kept).endswith("decltype"):
            self._keep("(…)", end)
        elif self._name.startswith(ANONYMOUS, self._at):
            self._keep(ANONYMOUS, end)
        else:
            self._parameters(end)

    def _parameters(self, end: int) -> None:
        qualifiers = QUALIFIERS.match(self._name, end)
        self._at = qualifiers.end() if qualifiers else end
        # What follows is a part of the name (a lambda in the function), or tells of a copy of it.
        self._is_result_gone = True


def _implementation(inside: str) -> str:
    """Rust's `<Type as Trait>` and `<Type>`, each part short."""
    return " as ".join(short_name(part) for part in inside.split(" as "))


def closing(name: str, at: int) -> int:
    """The end of the bracket that begins at `at`; arrows and operators are no brackets."""
    awaited: list[str] = []
    while at < len(name):
        if operator := OPERATOR.match(name, at):
            at = operator.end()
            continue
        if name[at] in BRACKETS:
            awaited.append(BRACKETS[name[at]])
        elif name[at] in awaited and not name.startswith("->", at - 1):
            # Between round brackets, < and > may compare: what is open there is closed with them.
            while name[at] != ">" and awaited[-1] != name[at]:
                awaited.pop()
            if awaited[-1] == name[at]:
                awaited.pop()
        at += 1
        if not awaited:
            break
    return at
