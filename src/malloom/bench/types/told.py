"""What `malloom profile fields` tells of a program's types: for which share of the heap's accesses, and at
which lines of its source."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.bench.gathered import Gathered
from malloom.measure.stages import output_of
from malloom.report.names import demangle, is_of_library, short_name

DEPTH = "32"
"""Frames of a context: the most that there may be."""
CALLERS = 3
"""Calls of the program's own that are named for each type, the innermost ones."""
OF_CARGO = re.compile(r"^.*/registry/src/[^/]+/")


@dataclass(frozen=True)
class Pair:
    """A type that is certain, and the call site that it was said of."""

    type: str
    how: str
    size: int | None
    """Bytes of an object; None: of several sizes."""
    calls: tuple[str, ...]
    """The program's own, from the one that told the type on: `function file:line`, callers behind."""


@dataclass(frozen=True)
class Told:
    """Of one program. Accesses are loads and stores of heap objects."""

    accesses: int
    named: int
    certain: int
    pairs: tuple[Pair, ...]

    @property
    def not_named(self) -> float:
        return 1 - self.named / max(self.accesses, 1)


class Gatherer(Gathered[Told]):
    """What was told of the programs so far."""

    kind = Told


def told_by(profile: Path, folder: Path) -> Told:
    """Of a profile of a program that was built in a folder. Raises CommandError where there are no fields."""
    text = output_of("profile", "fields", str(profile), "--json", "--depth", DEPTH)
    return told_of(json.loads(text), folder)


def told_of(table: Mapping[str, Any], folder: Path) -> Told:
    """The same of what the command printed."""
    named = certain = 0
    pairs: dict[tuple[str, tuple[str, ...]], Pair] = {}
    for kind in table["kinds"]:
        accesses, known = kind["loads"] + kind["stores"], kind["type"]
        named += accesses if known else 0
        if not known or not known["is_sure"]:
            continue
        certain += accesses
        calls = tuple(_own_calls(kind, folder))[:CALLERS]
        if calls:
            pair = Pair(known["name"], known["how"], kind["size"], calls)
            pairs.setdefault((pair.type, calls[:1]), pair)
    return Told(table["accesses"], named, certain, tuple(pairs.values()))


def _own_calls(kind: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Calls in the program's own source, from the one that told the type outwards."""
    calls = [call for site in kind["sites"] for call in site["calls"]]
    at = kind["type"]["at"]
    start = calls.index(at) if at in calls else 0
    for call in calls[start:]:
        name = short_name(demangle(call["function"]))
        if call["line"] and not is_of_library(name, call["file"]):
            yield f"{name} {_within(call['file'], folder)}:{call['line']}"
        if name == "main":
            return


def _within(file: str, folder: Path) -> str:
    """A path as it is in the program's folder, or in that of a crate."""
    path = Path(file)
    if path.is_relative_to(folder):
        return str(path.relative_to(folder))
    return OF_CARGO.sub("", file)
