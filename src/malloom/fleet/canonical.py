"""The call sites of many builds as those of one: of each file of code the build with the most requests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from malloom.sites.keys import Call, Site, match
from malloom.sites.rebase import ORDER


@dataclass(frozen=True)
class NumberedSite:
    """A call site of a file of code, by the numbers that the database has for both."""

    number: int
    file: int
    site: Site


@dataclass(frozen=True)
class Found:
    """The call site that stands for another."""

    number: int
    level: int
    """Place in malloom.sites.rebase.ORDER."""


def numbered_sites(rows: Sequence[tuple[Any, ...]]) -> list[NumberedSite]:
    """From the database's rows: number, file, offset, callee, calls, twins, copies, ordinal, alike."""
    return [
        NumberedSite(number, file, Site(offset, callee, _calls(calls), twins, copies, ordinal, alike))
        for number, file, offset, callee, calls, twins, copies, ordinal, alike in rows
    ]


def _calls(calls: list[dict[str, Any]]) -> tuple[Call, ...]:
    return tuple(
        Call(each["function"], each["file"], each["line"], each["column"], each["function_line"])
        for each in calls
    )


def canonical(
    sites: Sequence[NumberedSite], paths: Sequence[str], order: Sequence[int], levels: Sequence[str]
) -> dict[int, Found]:
    """For each site that another build of its file has as well, the one there.

    `paths` are those of the files, whose names tell which are builds of one; `order` are the files, those
    first that the others are matched to.
    """
    of_file: dict[int, list[NumberedSite]] = defaultdict(list)
    for each in sites:
        of_file[each.file].append(each)
    before: dict[str, list[list[NumberedSite]]] = defaultdict(list)
    found: dict[int, Found] = {}
    for file in order:
        name = PurePath(paths[file]).name
        left = of_file[file]
        for earlier in before[name]:
            there = _matched(left, earlier, levels)
            found |= there
            left = [each for each in left if each.number not in there]
        if left:
            before[name].append(left)
    return found


def _matched(ours: list[NumberedSite], theirs: list[NumberedSite], levels: Sequence[str]) -> dict[int, Found]:
    numbers = {each.site.offset: each.number for each in theirs}
    pairs = match([each.site for each in ours], [each.site for each in theirs], levels)
    return {
        ours[at].number: Found(numbers[site.offset], ORDER.index(level))
        for at, (site, level) in pairs.items()
    }
