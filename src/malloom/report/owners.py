"""Who asked for an object, by a name that people read: call sites of one name are one owner."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from malloom.profile import HeapProfile
from malloom.profile.requests import I64
from malloom.report.chains import chain_text, without_libraries_own
from malloom.report.names import count_of_program
from malloom.report.symbols import Place, Symbols

NAME_ROOM = 80
"""Columns of a name."""
MOST_OWNERS = 2000
"""That have a name; the others are one."""
OTHERS = "other call sites"
CLONE = re.compile(r"\.(?:constprop|isra|part|cold|lto_priv)\b[.\d]*")
"""What a compiler adds to the name of a function of which it makes a copy or a part."""


@dataclass(frozen=True)
class Owners:
    """The owners of a profile's requests, those with the most bytes first."""

    names: list[str]
    of_context: I64
    """Per context of the profile: index into `names`."""
    of_request: I64
    """Per request: the same."""
    bytes: list[int]
    """Per owner: of all its requests."""
    notes: list[str]
    """Why names are lacking."""


def owners_of(profile: HeapProfile) -> Owners:
    """Looks up the names of the contexts that have requests."""
    context = profile.requests.context
    bytes_of = np.bincount(context, weights=profile.requests.size, minlength=len(profile.contexts))
    asked = np.flatnonzero(np.bincount(context, minlength=len(profile.contexts)))
    named, notes = _names(profile, asked.tolist())
    summed: dict[str, float] = {}
    for each, name in named.items():
        summed[name] = summed.get(name, 0) + float(bytes_of[each])
    ordered = sorted(summed, key=lambda name: (-summed[name], name))
    names = ordered[:MOST_OWNERS] + [OTHERS] * (len(ordered) > MOST_OWNERS)
    number = {name: min(at, MOST_OWNERS) for at, name in enumerate(ordered)}
    of_context = np.zeros(max(len(profile.contexts), 1), dtype=np.int64)
    for each, name in named.items():
        of_context[each] = number[name]
    left = sum(summed[name] for name in ordered[MOST_OWNERS:])
    sums = [int(summed[name]) for name in ordered[:MOST_OWNERS]] + [int(left)] * (len(names) > MOST_OWNERS)
    return Owners(names, of_context, of_context[context], sums, notes)


def _names(profile: HeapProfile, contexts: list[int]) -> tuple[dict[int, str], list[str]]:
    chains = {context: profile.contexts.frames(context) for context in contexts}
    symbols = Symbols(profile.modules)
    places = symbols.places(frame for chain in chains.values() for frame in chain)
    named = {
        context: chain_text(_own([place for frame in chain for place in places[frame]]), NAME_ROOM)
        for context, chain in chains.items()
    }
    return named, symbols.notes


def _own(places: list[Place]) -> list[Place]:
    """Without what a language's library calls in itself, and what the C library calls before main; and of
    calls of a function by itself the innermost, so that a tree that recursion builds has one owner."""
    own = [replace(place, function=CLONE.sub("", place.function)) for place in places]
    own = without_libraries_own(own[: count_of_program([place.function for place in own])])
    return [place for at, place in enumerate(own) if at == 0 or not _is_recursion(own[at - 1], place)]


def _is_recursion(inner: Place, outer: Place) -> bool:
    return bool(inner.function) and (inner.function, inner.file) == (outer.function, outer.file)
