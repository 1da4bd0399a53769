"""The key of a call site: which function it calls, and where in the source, through what is inlined."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace

COMPILERS_SUFFIX = re.compile(
    r"\.(?:cold|part|constprop|isra|lto_priv|llvm|localalias|context)(?:\.\d+)*(?=\.|$)"
)
"""What compilers add to the name of a part or copy of a function, one build more and another less."""


def plain(function: str) -> str:
    """The name of a function without what compilers add to that of a copy, and without a version."""
    return COMPILERS_SUFFIX.sub("", function).partition("@")[0]


@dataclass(frozen=True)
class Call:
    """One call of the source. 0 and empty texts are unknown."""

    function: str
    """That the call stands in, as the linker knows it."""
    file: str
    line: int
    column: int = 0
    function_line: int = 0
    """Where that function is declared."""

    @property
    def file_name(self) -> str:
        """Without its folders: builds are made in different places."""
        return self.file.rpartition("/")[2]

    @property
    def relative_line(self) -> int | None:
        """Lines from the begin of its function, which text above that does not change."""
        return self.line - self.function_line if self.line and self.function_line else None

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{self.function or '?'} {self.file_name}:{self.line}{column}"


@dataclass(frozen=True)
class Site:
    """One call instruction of a build, and its key: callee and calls."""

    offset: int
    """Return address, as the file's headers give it."""
    callee: str = ""
    """Empty: through a pointer, or not known."""
    calls: tuple[Call, ...] = ()
    """Innermost first: all but the last stand in inlined functions. Empty without debug information."""
    twins: int = 0
    """Call sites of the file with this very key, this one included; 0: not known, as are the following."""
    copies: int = 0
    """Call sites of the file with the same callee and the innermost call at the same place."""
    ordinal: int = 0
    """From 1: its number in the source among the call sites of the same functions and callee."""
    alike: int = 0
    """How many those are."""


Part = Callable[[Site], Hashable | None]
"""What of a site has to agree; None where that is not known."""


def exact(site: Site) -> Hashable | None:
    """All of the key. The same text, whatever the compiler made of the rest."""
    if not site.calls or not all(call.line for call in site.calls):
        return None
    return site.callee, tuple((call.function, call.file_name, call.line, call.column) for call in site.calls)


def moved(site: Site) -> Hashable | None:
    """The key with lines counted from the begin of each function: the text before it may differ.

    Where a symbol alone tells of the function, the only call of that callee in it.
    """
    if by_symbol(site):
        return (site.callee, functions_of(site)) if site.alike == 1 else None
    lines = [call.relative_line for call in site.calls]
    if not lines or None in lines:
        return None
    parts = zip(site.calls, lines, strict=True)
    return site.callee, tuple((call.function, call.file_name, line, call.column) for call, line in parts)


def inlined(site: Site) -> Hashable | None:
    """The innermost call alone, so counted: its function may be inlined into others than before."""
    if not site.calls or (line := site.calls[0].relative_line) is None or site.copies > 1:
        return None
    call = site.calls[0]
    return site.callee, call.function, call.file_name, line, call.column


def counted(site: Site) -> Hashable | None:
    """Its number among the calls of the same functions: their text may differ, but not how many there are.

    All that can be known where there are symbols and no debug information."""
    if not site.calls or not site.ordinal:
        return None
    return site.callee, functions_of(site), site.calls[0].file_name, site.ordinal, site.alike


def renamed(site: Site) -> Hashable | None:
    """The place in the text without the names of functions."""
    if exact(site) is None or site.copies > 1:
        return None
    return site.callee, tuple((call.file_name, call.line, call.column) for call in site.calls)


def functions_of(site: Site) -> tuple[str, ...]:
    return tuple(call.function for call in site.calls)


def innermost(site: Site) -> Hashable | None:
    """Callee, and the innermost call's place whatever its function's name: templates share it."""
    if not site.calls or not site.calls[0].line:
        return None
    call = site.calls[0]
    return site.callee, call.file_name, call.line, call.column


def numbered(sites: Iterable[Site]) -> list[Site]:
    """All call sites of a file with what each shares with the others: twins, copies, ordinal, alike."""
    all_sites = list(sites)
    twins = Counter(exact(site) for site in all_sites)
    copies = Counter(innermost(site) for site in all_sites)
    groups: dict[Hashable, set[tuple[tuple[int, int], ...]]] = defaultdict(set)
    for site in all_sites:
        groups[_group(site)].add(_position(site))
    ranks = {
        group: {position: rank for rank, position in enumerate(sorted(positions), 1)}
        for group, positions in groups.items()
    }
    return [
        replace(
            site,
            # Of calls that symbols alone tell of, each is known by its number.
            twins=twins[exact(site)] if exact(site) else 1,
            copies=copies[innermost(site)] if exact(site) else 1,
            ordinal=ranks[_group(site)][_position(site)],
            alike=len(ranks[_group(site)]),
        )
        if exact(site) or by_symbol(site)
        else site
        for site in all_sites
    ]


def by_symbol(site: Site) -> bool:
    """Whether no debug information tells of the site, but a symbol does."""
    return bool(site.calls) and not any(call.file for call in site.calls)


def _group(site: Site) -> Hashable:
    return site.callee, functions_of(site), site.calls[0].file_name if site.calls else ""


def _position(site: Site) -> tuple[tuple[int, int], ...]:
    """In the order of the source, where the outermost call says most; else in that of the code."""
    if by_symbol(site):
        return ((site.offset, 0),)
    return tuple((call.line, call.column) for call in reversed(site.calls))


LEVELS: dict[str, Part] = {
    "exact": exact,
    "moved": moved,
    "inlined": inlined,
    "counted": counted,
    "renamed": renamed,
}
"""In the order in which they are tried; each takes what those before it left over."""

CERTAIN = ("same", "exact", "moved")
"""Levels at which the text of the call's own function is the same, or nothing changed at all."""

LEVEL_MEANINGS = {
    "same": "in a file that was not rebuilt",
    "exact": "callee, functions, files, lines, columns",
    "moved": "the same, lines counted from each function's begin",
    "inlined": "the same of the innermost call, inlined elsewhere",
    "counted": "the n-th of as many calls in the same functions",
    "renamed": "the same place, in a function of another name",
}


def match(
    old: list[Site], new: list[Site], levels: Iterable[str] = tuple(LEVELS)
) -> dict[int, tuple[Site, str]]:
    """Index of an old site -> the new one, and the level at which it is the only one, on either side."""
    found: dict[int, tuple[Site, str]] = {}
    taken: set[int] = set()
    for level in levels:
        part = LEVELS[level]
        theirs: dict[Hashable, list[Site]] = defaultdict(list)
        for site in new:
            if (key := part(site)) is not None:
                theirs[key].append(site)
        ours = Counter(part(site) for site in old if site.twins == 1)
        for index, site in enumerate(old):
            key = part(site)
            if index in found or site.twins != 1 or key is None or ours[key] != 1:
                continue
            there = theirs[key]
            if len(there) == 1 and there[0].offset not in taken:
                found[index] = there[0], level
                taken.add(there[0].offset)
    return found
